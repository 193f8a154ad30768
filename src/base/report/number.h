// Decimal numbers to doubles and back: exact in every build, whatever the locale.
#pragma once

// Reads a number at `text`: [+-] digits [. digits] [(e|E) [+-] digits], with a digit before or after the
// point. Gives the double nearest to it (ties to even; too large: infinity) and the end of what was read, or
// null where there is none.
//
// In WebAssembly strtod is this function, too, for cJSON: libc's works in 128-bit numbers made of integers.
const char* cnParseNumber(const char* text, const char* end, double* number);

// Writes the `count` leading decimal digits of a finite number >= 0, rounded to nearest (ties to even),
// without a zero byte: the number is d1.d2d3… · 10^e. Returns e; all digits of zero are '0', its e is 0.
int cnWriteDigits(double number, int count, char* digits);

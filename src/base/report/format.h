// Texts made like printf's, without libc: its code would be 4 kB of a compressed WebAssembly module.
#pragma once

#include <stdarg.h>
#include <stddef.h>

// As snprintf, with the conversions %d %u %x %s %g %%, a width (filled with zeros), a precision (also as *),
// and z before d, u and x. The text equals snprintf's, byte for byte.
__attribute__((format(printf, 3, 4))) int cnFormat(char* text, size_t size, const char* format, ...);
__attribute__((format(printf, 3, 0))) int cnFormatList(char* text, size_t size, const char* format,
                                                       va_list arguments);

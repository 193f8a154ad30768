#include "scene/json/syntax.h"

#include <string.h>

#define CN_TEXT_OF(number) #number
#define CN_TEXT(number) CN_TEXT_OF(number)

typedef struct Scanner {
    const unsigned char* text;
    size_t length;
    size_t at;
    const char* message; // null as long as all is well
} Scanner;

// The next byte, 0 at the end (a zero byte in the text is an error wherever it stands).
static unsigned char Peek(const Scanner* scanner) {
    return scanner->at < scanner->length ? scanner->text[scanner->at] : 0;
}

static bool Stop(Scanner* scanner, const char* message) {
    scanner->message = message;
    return false;
}

static void SkipBlanks(Scanner* scanner) {
    for (; scanner->at < scanner->length; ++scanner->at) {
        unsigned char byte = scanner->text[scanner->at];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            return;
        }
    }
}

static bool IsDigit(unsigned char byte) {
    return byte >= '0' && byte <= '9';
}

static bool SkipDigits(Scanner* scanner, const char* message) {
    if (!IsDigit(Peek(scanner))) {
        return Stop(scanner, message);
    }
    while (IsDigit(Peek(scanner))) {
        ++scanner->at;
    }
    return true;
}

static bool ScanNumber(Scanner* scanner) {
    if (Peek(scanner) == '-') {
        ++scanner->at;
    }
    if (Peek(scanner) == '0') {
        ++scanner->at;
        if (IsDigit(Peek(scanner))) {
            return Stop(scanner, "a number must not have leading zeros");
        }
    } else if (!SkipDigits(scanner, "a number must have a digit here")) {
        return false;
    }
    if (Peek(scanner) == '.') {
        ++scanner->at;
        if (!SkipDigits(scanner, "a number must have a digit after its point")) {
            return false;
        }
    }
    if (Peek(scanner) == 'e' || Peek(scanner) == 'E') {
        ++scanner->at;
        if (Peek(scanner) == '+' || Peek(scanner) == '-') {
            ++scanner->at;
        }
        return SkipDigits(scanner, "a number must have a digit in its exponent");
    }
    return true;
}

// The four hex digits after \u, -1 where they are not four.
static int ScanHex4(Scanner* scanner) {
    int code = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned char byte = Peek(scanner);
        int digit = IsDigit(byte)                ? byte - '0'
                    : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                    : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return -1;
        }
        code = 16 * code + digit;
        ++scanner->at;
    }
    return code;
}

static bool ScanEscape(Scanner* scanner) {
    ++scanner->at;
    unsigned char byte = Peek(scanner);
    if (byte != 0 && strchr("\"\\/bfnrt", byte) != NULL) {
        ++scanner->at;
        return true;
    }
    if (byte != 'u') {
        return Stop(scanner, "a backslash must be followed by one of \" \\ / b f n r t u");
    }

    // a code unit: neither zero, which would end the text, nor half of a pair
    ++scanner->at;
    int code = ScanHex4(scanner);
    if (code < 0) {
        return Stop(scanner, "\\u must be followed by four hexadecimal digits");
    }
    if (code == 0) {
        return Stop(scanner, "a text must not hold \\u0000");
    }
    bool isHigh = code >= 0xd800 && code <= 0xdbff;
    bool isLow = code >= 0xdc00 && code <= 0xdfff;
    if (isHigh && Peek(scanner) == '\\' && scanner->at + 1 < scanner->length &&
        scanner->text[scanner->at + 1] == 'u') {
        scanner->at += 2;
        int low = ScanHex4(scanner);
        return low >= 0xdc00 && low <= 0xdfff ? true : Stop(scanner, "\\u names half of a surrogate pair");
    }
    return isHigh || isLow ? Stop(scanner, "\\u names half of a surrogate pair") : true;
}

// One character of more than one byte (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
static bool ScanUtf8(Scanner* scanner) {
    unsigned char first = Peek(scanner);
    int more = first >= 0xc2 && first <= 0xdf   ? 1
               : first >= 0xe0 && first <= 0xef ? 2
               : first >= 0xf0 && first <= 0xf4 ? 3
                                                : 0;
    unsigned char lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i <= more; ++i) {
        unsigned char byte =
            scanner->at + (size_t)i < scanner->length ? scanner->text[scanner->at + (size_t)i] : 0;
        if (byte < lowest || byte > highest) {
            more = 0;
        }
        lowest = 0x80;
        highest = 0xbf;
    }
    if (more == 0) {
        return Stop(scanner, "this byte is not UTF-8");
    }
    scanner->at += (size_t)more + 1;
    return true;
}

static bool ScanText(Scanner* scanner) {
    ++scanner->at;
    while (scanner->at < scanner->length) {
        unsigned char byte = scanner->text[scanner->at];
        if (byte == '"') {
            ++scanner->at;
            return true;
        }
        if (byte < 0x20) {
            return Stop(scanner, "a text must not hold a control character: write it as an escape");
        }
        if (byte == '\\') {
            if (!ScanEscape(scanner)) {
                return false;
            }
        } else if (byte >= 0x80) {
            if (!ScanUtf8(scanner)) {
                return false;
            }
        } else {
            ++scanner->at;
        }
    }
    return Stop(scanner, "the file ends inside a text");
}

static bool ScanWord(Scanner* scanner, const char* word) {
    size_t length = strlen(word);
    if (scanner->length - scanner->at < length || memcmp(scanner->text + scanner->at, word, length) != 0) {
        return Stop(scanner, "expected a value");
    }
    scanner->at += length;
    return true;
}

// A value that is neither a list nor an object.
static bool ScanScalar(Scanner* scanner) {
    switch (Peek(scanner)) {
    case '"':
        return ScanText(scanner);
    case 't':
        return ScanWord(scanner, "true");
    case 'f':
        return ScanWord(scanner, "false");
    case 'n':
        return ScanWord(scanner, "null");
    default:
        break;
    }
    if (Peek(scanner) == '-' || IsDigit(Peek(scanner))) {
        return ScanNumber(scanner);
    }
    return Stop(scanner, scanner->at < scanner->length ? "expected a value"
                                                       : "the file ends where a value is expected");
}

// A key and its colon.
static bool ScanKey(Scanner* scanner) {
    if (Peek(scanner) != '"') {
        return Stop(scanner, "expected a key in double quotes");
    }
    if (!ScanText(scanner)) {
        return false;
    }
    SkipBlanks(scanner);
    if (Peek(scanner) != ':') {
        return Stop(scanner, "expected ':' after the key");
    }
    ++scanner->at;
    return true;
}

// The document without recursion: `open` holds the closing brackets that are due.
static bool ScanDocument(Scanner* scanner) {
    unsigned char open[CN_JSON_DEPTH];
    int depth = 0;
    for (;;) {
        // the begin of a value: down into lists and objects
        SkipBlanks(scanner);
        unsigned char byte = Peek(scanner);
        if (byte == '[' || byte == '{') {
            if (depth == CN_JSON_DEPTH) {
                return Stop(scanner, "nested too deep: " CN_TEXT(
                                         CN_JSON_DEPTH) " levels of lists and objects are allowed");
            }
            unsigned char close = byte == '[' ? ']' : '}';
            ++scanner->at;
            SkipBlanks(scanner);
            if (Peek(scanner) != close) {
                open[depth++] = close;
                if (close == '}' && !ScanKey(scanner)) {
                    return false;
                }
                continue;
            }
            ++scanner->at;
        } else if (!ScanScalar(scanner)) {
            return false;
        }

        // the end of a value: up, until something follows
        bool another = false;
        while (depth > 0 && !another) {
            SkipBlanks(scanner);
            if (Peek(scanner) == ',') {
                ++scanner->at;
                another = true;
            } else if (Peek(scanner) == open[depth - 1]) {
                ++scanner->at;
                --depth;
            } else {
                return Stop(scanner, open[depth - 1] == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
            }
        }
        if (!another) {
            return true;
        }
        if (open[depth - 1] == '}') {
            SkipBlanks(scanner);
            if (!ScanKey(scanner)) {
                return false;
            }
        }
    }
}

bool cnCheckJsonSyntax(const char* text, size_t length, cnSyntaxError* error) {
    Scanner scanner = {(const unsigned char*)text, length, 0, NULL};
    if (ScanDocument(&scanner)) {
        SkipBlanks(&scanner);
        if (scanner.at == scanner.length) {
            return true;
        }
        scanner.message = "expected nothing more after the end of the scene";
    }

    // lines end with a line feed; columns count characters, not bytes
    *error = (cnSyntaxError){1, 1, scanner.message};
    for (size_t i = 0; i < scanner.at && i < length; ++i) {
        if (text[i] == '\n') {
            ++error->line;
            error->column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            ++error->column;
        }
    }
    return false;
}

#include "base/report/fault.h"

#include "base/report/format.h"

bool cnFault_Set(cnFault* fault, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return false;
}

#if CN_GUARDS

#include <stdio.h>
#include <stdlib.h>

void cnFault_End(const cnFault* fault, const char* moment) {
    fprintf(stderr, "invariant: %s (found %s)\n", fault->message, moment);
    abort();
}

#endif

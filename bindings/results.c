// The part of the boundary that both modules have: where results are left, and the last error.
#include "flat.h"

static _Thread_local _Alignas(16) unsigned char resultBytes[CNW_RESULT_BYTES];

void* cnw_GetResult(void) {
    return resultBytes;
}

uint32_t cnw_GetResultBytes(void) {
    return CNW_RESULT_BYTES;
}

int32_t cnw_GetErrorCode(void) {
    return (int32_t)cnGetLastError()->code;
}

const char* cnw_GetErrorCall(void) {
    return cnGetLastError()->call;
}

const char* cnw_GetErrorArgument(void) {
    return cnGetLastError()->argument;
}

const char* cnw_GetErrorMessage(void) {
    return cnGetLastError()->message;
}

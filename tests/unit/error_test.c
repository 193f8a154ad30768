// Errors and log lines: recorded with their place, one for every thread.
#include "base/report/error.h"
#include "helpers.h"

#include <pthread.h>

static void every_code_has_a_name_and_a_text(void** state) {
    (void)state;
    assert_string_equal(cnErrorName(CN_ERROR_NONE), "NONE");
    assert_string_equal(cnErrorName(CN_ERROR_STALE_HANDLE), "STALE_HANDLE");
    for (int code = 0; code < CN_ERROR_COUNT; ++code) {
        assert_true(strlen(cnErrorName((cnErrorCode)code)) > 0);
        assert_true(strlen(cnErrorText((cnErrorCode)code)) > 0);
    }
    assert_non_null(cnErrorName(CN_ERROR_COUNT));
    assert_non_null(cnErrorText((cnErrorCode)-1));
}

static void a_failure_is_recorded_with_its_place(void** state) {
    (void)state;
    assert_int_equal(
        cnFail(CN_ERROR_OUT_OF_RANGE, "cnBody_SetMass", "mass", "mass is %g, not above %d", -1.5, 0),
        CN_ERROR_OUT_OF_RANGE);
    const cnErrorInfo* info = cnGetLastError();
    assert_int_equal(info->code, CN_ERROR_OUT_OF_RANGE);
    assert_string_equal(info->call, "cnBody_SetMass");
    assert_string_equal(info->argument, "mass");
    assert_string_equal(info->message, "mass is -1.5, not above 0");

    // a new message may quote the old one
    cnFail(CN_ERROR_SCENE, info->call, info->argument, "inner: %s", info->message);
    assert_string_equal(info->call, "cnBody_SetMass");
    assert_string_equal(info->message, "inner: mass is -1.5, not above 0");
    cnClearLastError();
    assert_int_equal(info->code, CN_ERROR_NONE);
    assert_string_equal(info->message, "");
}

static void long_texts_are_cut(void** state) {
    (void)state;
    char longText[600];
    memset(longText, 'x', sizeof longText - 1);
    longText[sizeof longText - 1] = '\0';
    cnFail(CN_ERROR_SCENE, longText, longText, "%s", longText);
    const cnErrorInfo* info = cnGetLastError();
    assert_int_equal(strlen(info->call), sizeof info->call - 1);
    assert_int_equal(strlen(info->argument), sizeof info->argument - 1);
    assert_int_equal(strlen(info->message), sizeof info->message - 1);
    cnFail(CN_ERROR_SCENE, NULL, NULL, "nothing more");
    assert_string_equal(info->call, "");
    cnClearLastError();
}

static void* fail_in_thread(void* result) {
    cnFail(CN_ERROR_FILE, "call", "argument", "message");
    *(cnErrorCode*)result = cnGetLastError()->code;
    return NULL;
}

static void threads_have_errors_of_their_own(void** state) {
    (void)state;
    cnErrorCode ofThread = CN_ERROR_NONE;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &ofThread), 0);
    pthread_join(thread, NULL);
    assert_int_equal(ofThread, CN_ERROR_FILE);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NONE);
}

static void log_lines_reach_their_function(void** state) {
    (void)state;
    char line[512] = "";
    cnWriteLog("nobody listens");
    cnSetLogFunction(keep_line, line);
    cnWriteLog("%d bodies", 3);
    assert_string_equal(line, "3 bodies");
    cnSetLogFunction(NULL, NULL);
    cnWriteLog("nobody listens");
    assert_string_equal(line, "3 bodies");
}

int main(void) {
    return run_all(every_code_has_a_name_and_a_text, a_failure_is_recorded_with_its_place, long_texts_are_cut,
                   threads_have_errors_of_their_own, log_lines_reach_their_function);
}

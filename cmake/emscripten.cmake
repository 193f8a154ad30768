# The toolchain file of the WebAssembly presets: Emscripten's own, from wherever scripts/setup.mjs finds Emscripten.
if(NOT DEFINED ENV{CN_EMSCRIPTEN_ROOT})
  execute_process(
    COMMAND node ${CMAKE_CURRENT_LIST_DIR}/../scripts/setup.mjs --emscripten-root
    OUTPUT_VARIABLE CN_FOUND_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(ENV{CN_EMSCRIPTEN_ROOT} ${CN_FOUND_ROOT})
endif()
include($ENV{CN_EMSCRIPTEN_ROOT}/cmake/Modules/Platform/Emscripten.cmake)

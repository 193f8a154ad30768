# The WebAssembly module of one flavour: one .wasm file and an ES module of glue code for each environment, in web/dist.
#
# The glue is linked twice over the same objects, once for web pages and their workers and once for Node, since a
# bundler must not meet Node's modules. Both links give the same .wasm file; finish_module.mjs checks that, keeps one,
# and leaves files and workers to the hand-written modules of bindings/glue.
if(CN_THREADS)
  set(CN_FLAVOUR mt)
else()
  set(CN_FLAVOUR st)
endif()

file(GLOB_RECURSE CN_BINDING_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/*.c)
set(CN_EXPORTS ${PROJECT_SOURCE_DIR}/bindings/generated/exports.txt)
if(NOT EXISTS ${CN_EXPORTS})
  message(FATAL_ERROR "${CN_EXPORTS} is missing: run node bindings/generate.mjs")
endif()

set(CN_LINK_OPTIONS
  -Os # as fast as -O3, whose inlining costs 1 kB
  # Large functions stay what they were compiled to: one that takes in all that it alone calls (a whole step) is
  # compiled late and spills its registers, which cost up to 5 % of a step.
  -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=100
  --no-entry
  -sMODULARIZE
  -sEXPORT_ES6
  -sEXPORT_NAME=createCairnModule
  -sALLOW_MEMORY_GROWTH
  -sINITIAL_MEMORY=16MB
  -sMEMORY_GROWTH_GEOMETRIC_STEP=0.05 # of 20 %, the default, half is never used
  -sMAXIMUM_MEMORY=2GB # so that an address is never negative as an int32
  -sSTACK_SIZE=1MB
  -sFILESYSTEM=0
  -sMALLOC=emmalloc # a step allocates nothing
  -sASSERTIONS=0
  -sINCOMING_MODULE_JS_API=wasmMemory,wasmBinary,instantiateWasm,locateFile,mainScriptUrlOrBlob,print,printErr,onAbort
  -sEXPORTED_RUNTIME_METHODS=wasmMemory
  -sEXPORTED_FUNCTIONS=@${CN_EXPORTS})
if(CN_THREADS)
  # Workers exist before they are used (the loader says how many): one made on demand could not start while the page's
  # main thread waits for it. A worker's stack is smaller than the main one: its arenas are on the heap.
  list(APPEND CN_LINK_OPTIONS
    -pthread
    -Wno-pthreads-mem-growth
    "-sPTHREAD_POOL_SIZE=Module['poolSize']"
    -sDEFAULT_PTHREAD_STACK_SIZE=512KB)
endif()

add_library(cn_bindings OBJECT ${CN_BINDING_SOURCES})
target_include_directories(cn_bindings PRIVATE
  ${PROJECT_SOURCE_DIR}/src/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bindings)
target_link_libraries(cn_bindings PRIVATE cn_flags)
target_compile_options(cn_bindings PRIVATE -Oz) # they copy numbers

function(cn_add_glue environment link_environments)
  set(target cairn.${CN_FLAVOUR}.${environment})
  add_executable(${target} $<TARGET_OBJECTS:cn_bindings>)
  set_target_properties(${target} PROPERTIES SUFFIX .mjs LINK_DEPENDS ${CN_EXPORTS} LINKER_LANGUAGE C)
  target_link_libraries(${target} PRIVATE cairn cn_determinism)
  target_link_options(${target} PRIVATE ${CN_LINK_OPTIONS} -sENVIRONMENT=${link_environments})
endfunction()

cn_add_glue(web web,worker)
cn_add_glue(node node)

# The readers of files are a module of their own, which needs no glue: one for all flavours, made with the single one.
if(NOT CN_THREADS)
  set(CN_READER_EXPORTS ${PROJECT_SOURCE_DIR}/bindings/generated/reader_exports.txt)
  add_executable(cairn.readers $<TARGET_OBJECTS:cn_bindings>)
  set_target_properties(cairn.readers PROPERTIES
    SUFFIX .wasm LINK_DEPENDS ${CN_READER_EXPORTS} LINKER_LANGUAGE C)
  target_link_libraries(cairn.readers PRIVATE cairn cn_determinism)
  target_link_options(cairn.readers PRIVATE
    -Oz
    --no-entry
    -sSTANDALONE_WASM
    -sALLOW_MEMORY_GROWTH
    -sINITIAL_MEMORY=4MB
    -sMAXIMUM_MEMORY=2GB
    -sSTACK_SIZE=1MB
    -sFILESYSTEM=0
    -sMALLOC=emmalloc
    -sASSERTIONS=0
    -sEXPORTED_FUNCTIONS=@${CN_READER_EXPORTS})
endif()

file(GLOB CN_GLUE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/glue/*.js)
file(GLOB CN_PACKING CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/wasm/*.mjs)
set(CN_DIST ${PROJECT_SOURCE_DIR}/web/dist CACHE PATH "Where the finished modules are put")
add_custom_command(
  OUTPUT ${CN_DIST}/cairn.${CN_FLAVOUR}.wasm
  BYPRODUCTS ${CN_DIST}/cairn.${CN_FLAVOUR}.web.js ${CN_DIST}/cairn.${CN_FLAVOUR}.node.js
  COMMAND node ${PROJECT_SOURCE_DIR}/cmake/finish_module.mjs ${PROJECT_BINARY_DIR} ${CN_DIST} ${CN_FLAVOUR}
  DEPENDS cairn.${CN_FLAVOUR}.web cairn.${CN_FLAVOUR}.node ${PROJECT_SOURCE_DIR}/cmake/finish_module.mjs
    ${CN_GLUE}
    ${PROJECT_SOURCE_DIR}/cmake/shorten_glue.mjs ${CN_PACKING}
  VERBATIM)
set(CN_MODULES ${CN_DIST}/cairn.${CN_FLAVOUR}.wasm)
if(NOT CN_THREADS)
  list(APPEND CN_MODULES ${CN_DIST}/cairn.readers.wasm)
  add_custom_command(
    OUTPUT ${CN_DIST}/cairn.readers.wasm
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/cairn.readers.wasm ${CN_DIST}/cairn.readers.wasm
    DEPENDS cairn.readers
    VERBATIM)
endif()
add_custom_target(cairn_module ALL DEPENDS ${CN_MODULES})

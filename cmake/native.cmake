# What a native build adds to the library: unit tests and small programs.
find_package(Threads REQUIRED)
find_library(CN_LIBM m)
target_link_libraries(cairn PUBLIC Threads::Threads $<$<BOOL:${CN_LIBM}>:m>)

find_path(CN_CMOCKA_INCLUDE cmocka.h)
find_library(CN_CMOCKA_LIBRARY cmocka)
if(CN_CMOCKA_INCLUDE AND CN_CMOCKA_LIBRARY)
  set(CN_HAS_CMOCKA ON)
else()
  set(CN_HAS_CMOCKA OFF)
endif()
option(CN_BUILD_TESTS "Build the unit tests (they need cmocka)" ${CN_HAS_CMOCKA})

# what a test or a small program sees: the public headers, and the private ones as src/ itself includes them
add_library(cn_inside INTERFACE)
target_include_directories(cn_inside INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_include_directories(cn_inside SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/src/third_party)
target_link_libraries(cn_inside INTERFACE cairn cn_flags)

# every file of tests/tools/ is one program
file(GLOB CN_TOOL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/tools/*.c)
foreach(source IN LISTS CN_TOOL_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cn_inside)
endforeach()

# every file of tests/fuzz/ is a program that mutates seed files: NAME --cases N
file(GLOB CN_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.c)
foreach(source IN LISTS CN_FUZZ_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cn_inside)
endforeach()

# every file of bench/ is a program that prints how fast something is
file(GLOB CN_BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source IN LISTS CN_BENCH_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE cn_inside)
endforeach()

# the matrix of colliders against its reference: collider_matrix --cases N
add_executable(collider_matrix
  ${PROJECT_SOURCE_DIR}/tests/matrix/collider_matrix.c ${PROJECT_SOURCE_DIR}/tests/matrix/reference.c)
target_link_libraries(collider_matrix PRIVATE cn_inside)

# what holds random scenes against physical laws: hunt_judge SCENE.json (npm run hunt)
file(GLOB CN_HUNT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/hunt/*.c)
add_executable(hunt_judge ${CN_HUNT_SOURCES})
target_link_libraries(hunt_judge PRIVATE cn_inside)

if(CN_BUILD_TESTS)
  if(NOT CN_HAS_CMOCKA)
    message(FATAL_ERROR "CN_BUILD_TESTS is on but cmocka is missing (Debian: apt-get install libcmocka-dev)")
  endif()
  enable_testing()

  # every file of tests/unit/ with a main is one program and one test; the others are helpers that all of them get
  file(GLOB CN_UNIT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/*.c)
  set(CN_UNIT_MAINS "")
  set(CN_UNIT_HELPERS "")
  foreach(source IN LISTS CN_UNIT_SOURCES)
    file(STRINGS ${source} has_main REGEX "^(int[ \t]+)?main[ \t]*\\(")
    if(has_main)
      list(APPEND CN_UNIT_MAINS ${source})
    else()
      list(APPEND CN_UNIT_HELPERS ${source})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CN_UNIT_SOURCES})

  add_library(cn_unit INTERFACE)
  target_include_directories(cn_unit SYSTEM INTERFACE ${CN_CMOCKA_INCLUDE})
  target_link_libraries(cn_unit INTERFACE cn_inside ${CN_CMOCKA_LIBRARY})
  target_sources(cn_unit INTERFACE ${CN_UNIT_HELPERS})
  foreach(source IN LISTS CN_UNIT_MAINS)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE cn_unit)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endforeach()

  # a hundredth of the long campaigns (npm run test:long), less with sanitizers
  set(CN_MATRIX_CASES 10000)
  if(CN_SANITIZE)
    set(CN_MATRIX_CASES 2000)
  endif()
  add_test(NAME collider_matrix COMMAND collider_matrix --cases ${CN_MATRIX_CASES})
  set_tests_properties(collider_matrix PROPERTIES TIMEOUT 600)
  add_test(NAME collider_matrix_mended COMMAND collider_matrix --verbose --mended)
  add_test(NAME joint_soak COMMAND joint_soak --steps 1000 --threads 2)
  add_test(NAME free_linkages COMMAND free_linkages --steps 60 --quick)
  set_tests_properties(joint_soak free_linkages PROPERTIES TIMEOUT 600)
  foreach(source IN LISTS CN_FUZZ_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME ${name} COMMAND ${name} --cases 10000 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600)
  endforeach()
endif()

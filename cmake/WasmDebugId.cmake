#[=======================================================================[.rst:
WasmDebugId
-----------

Splits the WebAssembly modules of targets into a production module and a debug
companion when they are linked. See docs/recipes/cmake.md.

.. command:: wasm_debugid_split

  ::

    wasm_debugid_split(<target>
      [OUTPUT_DIR <dir>]           # write the production module there; by default it replaces the linked one
      [COMPANION <file>]           # the companion; by default <module>.debug.wasm beside the production module
      [COMPANION_DIR <dir>]        # the folder of the companion
      [COMPANION_KIND <kind>]      # full (default), symbols or none
      [BUILD_ID <policy>]          # auto (default), keep, content, random, or an ID
      [EXTERNAL_URL <url>]         # what the production module names as its companion, or none
      [KEEP <pattern>...] [REMOVE <pattern>...]  # custom sections
      [STRIP_NAMES]                # no function names in the production module
      [CHECK]                      # fail the build unless every place resolves as check wants it
      [QUIET]                      # print errors only
      [MODULE <file>]              # the linked module, if it is another than the target's
      [ARGS <arg>...]              # further arguments of wasm-debugid split
      [INSTALL_COMPANION <dir>]    # install the companion there,
      [COMPONENT <name>]           # as this component; by default wasm-debugid
    )

  The target is an executable. With Emscripten's toolchain its file is the
  JavaScript or the page, and the module lies beside it; with clang's the file is
  the module. Relative paths are relative to the current binary directory. The step
  runs behind each link and at no other time. "clean" removes what it writes.

  With clang, the link is run through ``wasm-debugid cc``, so that clang cannot run
  a wasm-opt that it finds and destroy the DWARF (Makefile and Ninja generators).

  The properties ``WASM_DEBUGID_MODULE`` and ``WASM_DEBUGID_COMPANION`` of the target
  hold the paths of the pair. They hold generator expressions, see the recipe.

.. variable:: WASM_DEBUGID_EXECUTABLE

  The program. It is looked for on ``PATH``; a list is a command with arguments.
#]=======================================================================]

cmake_policy(PUSH)
cmake_policy(VERSION 3.16...3.25)

find_program(WASM_DEBUGID_EXECUTABLE wasm-debugid NO_CMAKE_FIND_ROOT_PATH DOC "The program wasm-debugid")
mark_as_advanced(WASM_DEBUGID_EXECUTABLE)

function(wasm_debugid_split target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STRIP_NAMES;CHECK;QUIET"
    "OUTPUT_DIR;COMPANION;COMPANION_DIR;COMPANION_KIND;BUILD_ID;EXTERNAL_URL;MODULE;INSTALL_COMPANION;COMPONENT" "KEEP;REMOVE;ARGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "wasm_debugid_split: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "wasm_debugid_split: without a value: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "wasm_debugid_split: there is no target ${target}; call it after add_executable")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "wasm_debugid_split: ${target} is no executable (${type}), so that nothing is linked")
  endif()
  if(NOT WASM_DEBUGID_EXECUTABLE)
    message(FATAL_ERROR "wasm_debugid_split: the program wasm-debugid was not found; put it on PATH, or set WASM_DEBUGID_EXECUTABLE to its path")
  endif()
  if(arg_COMPANION AND arg_COMPANION_DIR)
    message(FATAL_ERROR "wasm_debugid_split: COMPANION and COMPANION_DIR exclude each other")
  endif()
  if(arg_COMPANION_KIND STREQUAL "none" AND (arg_COMPANION OR arg_COMPANION_DIR OR arg_INSTALL_COMPANION))
    message(FATAL_ERROR "wasm_debugid_split: COMPANION_KIND none makes no companion, but a place for one was given")
  endif()
  foreach(path OUTPUT_DIR COMPANION COMPANION_DIR MODULE)
    if(arg_${path} AND NOT arg_${path} MATCHES "^\\$<")
      get_filename_component(arg_${path} "${arg_${path}}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
  endforeach()

  # The linked module and its name without the ending.
  set(stem "$<TARGET_FILE_PREFIX:${target}>$<TARGET_FILE_BASE_NAME:${target}>")
  if(arg_MODULE)
    set(linked "${arg_MODULE}")
    get_filename_component(stem "${arg_MODULE}" NAME_WE)
    get_filename_component(name "${arg_MODULE}" NAME)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Emscripten" OR EMSCRIPTEN)
    set(name "${stem}.wasm")
    set(linked "$<TARGET_FILE_DIR:${target}>/${name}")
  else()
    set(name "$<TARGET_FILE_NAME:${target}>")
    set(linked "$<TARGET_FILE:${target}>")
    _wasm_debugid_guard(${target})
  endif()

  set(folders)
  if(arg_OUTPUT_DIR)
    set(module "${arg_OUTPUT_DIR}/${name}")
    set(out -o "${module}")
    list(APPEND folders "${arg_OUTPUT_DIR}")
  else()
    set(module "${linked}")
    set(out --in-place)
  endif()

  set(companion)
  if(arg_COMPANION_KIND STREQUAL "none")
  elseif(arg_COMPANION)
    set(companion "${arg_COMPANION}")
    get_filename_component(folder "${arg_COMPANION}" DIRECTORY)
    list(APPEND folders "${folder}")
  elseif(arg_COMPANION_DIR)
    set(companion "${arg_COMPANION_DIR}/${stem}.debug.wasm")
    list(APPEND folders "${arg_COMPANION_DIR}")
  elseif(arg_OUTPUT_DIR)
    set(companion "${arg_OUTPUT_DIR}/${stem}.debug.wasm")
  elseif(arg_MODULE)
    get_filename_component(folder "${arg_MODULE}" DIRECTORY)
    set(companion "${folder}/${stem}.debug.wasm")
  else()
    set(companion "$<TARGET_FILE_DIR:${target}>/${stem}.debug.wasm")
  endif()

  set(args)
  if(companion)
    list(APPEND args --debug-out "${companion}")
  endif()
  foreach(value COMPANION_KIND BUILD_ID EXTERNAL_URL)
    if(arg_${value})
      string(TOLOWER "--${value}" flag)
      string(REPLACE "_" "-" flag "${flag}")
      list(APPEND args "${flag}=${arg_${value}}")
    endif()
  endforeach()
  foreach(pattern IN LISTS arg_KEEP)
    list(APPEND args "--keep=${pattern}")
  endforeach()
  foreach(pattern IN LISTS arg_REMOVE)
    list(APPEND args "--remove=${pattern}")
  endforeach()
  foreach(switch STRIP_NAMES CHECK QUIET)
    if(arg_${switch})
      string(TOLOWER "--${switch}" flag)
      string(REPLACE "_" "-" flag "${flag}")
      list(APPEND args "${flag}")
    endif()
  endforeach()

  set(commands)
  if(folders)
    list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E make_directory ${folders})
  endif()
  add_custom_command(TARGET ${target} POST_BUILD ${commands}
    COMMAND ${WASM_DEBUGID_EXECUTABLE} split "${linked}" ${out} ${args} ${arg_ARGS}
    COMMENT "Splitting the module of ${target}"
    VERBATIM)

  set_property(TARGET ${target} PROPERTY WASM_DEBUGID_MODULE "${module}")
  set_property(TARGET ${target} PROPERTY WASM_DEBUGID_COMPANION "${companion}")
  if(companion)
    set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${companion}")
  endif()
  if(arg_OUTPUT_DIR)
    set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${module}")
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Emscripten" OR EMSCRIPTEN)
    # CMake knows the JavaScript only.
    set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${linked}")
  endif()
  if(arg_INSTALL_COMPANION)
    if(NOT arg_COMPONENT)
      set(arg_COMPONENT wasm-debugid)
    endif()
    install(FILES "${companion}" DESTINATION "${arg_INSTALL_COMPANION}" COMPONENT "${arg_COMPONENT}")
  elseif(arg_COMPONENT)
    message(FATAL_ERROR "wasm_debugid_split: COMPONENT is that of INSTALL_COMPANION, which is missing")
  endif()
endfunction()

# Runs the link through wasm-debugid cc, which keeps clang from running wasm-opt.
function(_wasm_debugid_guard target)
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    return()
  endif()
  set(launcher ${WASM_DEBUGID_EXECUTABLE} cc --hook=on --no-split --)
  if(CMAKE_VERSION VERSION_LESS 3.21)
    string(REPLACE ";" " " launcher "${launcher}")
    set_property(TARGET ${target} PROPERTY RULE_LAUNCH_LINK "${launcher}")
    return()
  endif()
  foreach(lang C CXX)
    set_property(TARGET ${target} PROPERTY ${lang}_LINKER_LAUNCHER ${launcher})
  endforeach()
endfunction()

cmake_policy(POP)

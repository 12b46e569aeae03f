# What every target of Cleave shares: language, warnings, sanitizers.
add_library(cleave_options INTERFACE)
target_compile_features(cleave_options INTERFACE cxx_std_20)
target_compile_options(cleave_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# GCC 12 sees uninitialised memory in std::variant and overlapping copies in std::string where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(cleave_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
target_include_directories(cleave_options INTERFACE ${PROJECT_SOURCE_DIR})
if(CLEAVE_SANITIZE)
    # LibTorch does not export the type information that the vptr check needs.
    target_compile_options(cleave_options INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
    target_link_options(cleave_options INTERFACE -fsanitize=address,undefined)
endif()
if(CLEAVE_SANITIZE_THREADS)
    target_compile_options(cleave_options INTERFACE -fsanitize=thread)
    target_link_options(cleave_options INTERFACE -fsanitize=thread)
endif()

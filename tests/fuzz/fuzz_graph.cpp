// libFuzzer's entry point, built once for each ending.
#include "tests/fuzz/read_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size)
{
    cleave::test::readBytes(CLEAVE_FUZZ_ENDING, bytes, size);
    return 0;
}

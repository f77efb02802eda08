#include "engine/expression/digest.h"

#include <gmock/gmock.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

// Values from RFC 1321 and FIPS 180, and md5sum and sha256sum of "é".
TEST(DigestTest, IsHexadecimalOfTheBytes) {
  const TestTable table({{"s", DataType::String(), {"", "abc", "NULL", "é"}}});
  ExpectValues(table,
               {
                   {"MD5(s)",
                    {"d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72", "NULL",
                     "66ddcd97cfdeabb2f6fb8a999b4bc76f"}},
                   {"SHA256(s)",
                    {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "NULL",
                     "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"}},
                   {"MD5(1)", {"#MD5 takes STRING, got INT"}},
               });
}

}  // namespace
}  // namespace braid

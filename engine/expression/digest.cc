#include "engine/expression/digest.h"

#include <openssl/evp.h>

#include <string>

#include "engine/expression/text_result.h"

namespace braid {

namespace {

// False if the library does not offer the digest, as MD5 in a FIPS mode.
bool AppendDigest(const EVP_MD* algorithm, std::string_view text, std::string* digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes, &size, algorithm, nullptr) != 1) return false;
  for (unsigned int index = 0; index < size; ++index) {
    digits->push_back(kDigits[bytes[index] >> 4]);
    digits->push_back(kDigits[bytes[index] & 15]);
  }
  return true;
}

template <const EVP_MD* (*algorithm)()>
Column Digests(const KernelCall& call) {
  TextResult result(call);
  std::string digits;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    digits.clear();
    if (AppendDigest(algorithm(), TextArgument(call, 0, i), &digits)) {
      result.Append(digits);
    } else {
      result.Fail("the cryptographic library of this machine does not offer this digest");
    }
  }
  return result.Finish();
}

}  // namespace

Kernel FindDigestKernel(std::string_view name) {
  if (name == "MD5") return Digests<EVP_md5>;
  if (name == "SHA256") return Digests<EVP_sha256>;
  return {};
}

}  // namespace braid

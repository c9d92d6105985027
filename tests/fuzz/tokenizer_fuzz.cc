// Byte-level BPE: any text comes back as it was, and any ids can be spelt out and cut into words.
#include "fuzz_input.h"
#include "text/small_vocabulary.h"
#include "text/word_split.h"

namespace susurrus::fuzz {
namespace {

/// Tokens that merge, each made of two of those before it, after one for each byte.
std::vector<std::string> tokens_of(ByteSpan merges) {
  std::vector<std::string> tokens = testing::byte_tokens();
  for (size_t i = 0; i + 1 < merges.size(); i += 2) {
    // Letters at first, then what was made last, so that words of many letters arise.
    const auto part = [&](uint8_t choice) -> const std::string& {
      return choice < 128 ? tokens[choice] : tokens[tokens.size() - 1 - (choice - 128u) % 64];
    };
    std::string token = part(merges[i]) + part(merges[i + 1]);
    if (token.size() <= 64) tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  const fuzz::FuzzInput input(data, size);
  const size_t merge_bytes = std::min<size_t>(input.file().size() / 2, 256);
  const std::vector<std::string> tokens = fuzz::tokens_of(input.file().first(merge_bytes));
  const auto count = static_cast<uint32_t>(tokens.size());
  const Tokenizer tokenizer = testing::tokenizer_of(tokens, count + 1608);

  const std::string_view text = as_text(input.file().subspan(merge_bytes));
  const std::vector<uint32_t> ids = tokenizer.encode(text);
  FUZZ_CHECK(tokenizer.decode_bytes(ids) == text);

  // Each pair of bytes becomes an id; control tokens and timestamps are among them.
  std::vector<uint32_t> any;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    any.push_back((static_cast<uint8_t>(text[i]) << 8 | static_cast<uint8_t>(text[i + 1])) %
                  (count + 1700));
  }
  (void)tokenizer.decode(any);
  (void)tokenizer.decode_with_timestamps(any);
  size_t word_tokens = 0;
  for (const SplitWord& word : split_words(tokenizer, input.choice(0) ? "en" : "ja", any)) {
    word_tokens += word.tokens.size();
  }
  FUZZ_CHECK(word_tokens <= any.size());
  return 0;
}

#include "container/apr2/apr2_vocabulary.h"

#include "base/utf8.h"
#include "facts/whisper.h"

namespace susurrus {
namespace {

enum class Encoding : uint8_t { byte_level, plain };

// A vocabulary of at least this many entries is one of Whisper's own, whose entry 220 is a space.
constexpr size_t kSpaceId = 220;
constexpr std::string_view kByteLevelSpace = "\u0120";

/// GPT-2's byte-level text: printable bytes stand for themselves, the others for U+0100 to U+0143.
std::optional<uint8_t> byte_of(char32_t c) {
  if ((c >= 0x21 && c <= 0x7E) || (c >= 0xA1 && c <= 0xFF && c != 0xAD))
    return static_cast<uint8_t>(c);
  if (c >= 0x100 && c <= 0x120) return static_cast<uint8_t>(c - 0x100);
  if (c >= 0x121 && c <= 0x142) return static_cast<uint8_t>(c - 0x121 + 0x7F);
  if (c == 0x143) return 0xAD;
  return std::nullopt;
}

class TokenBytes {
 public:
  TokenBytes(size_t token_count, size_t byte_count) {
    ends_.reserve(token_count);
    bytes_.reserve(byte_count);
  }
  void add_plain(std::string_view text) {
    for (size_t i = 0; i < text.size() && !is_lossy_; ++i) {
      if (static_cast<uint8_t>(text[i]) == 0xEF)
        is_lossy_ = next_utf8(text.substr(i)).point == kReplacementCharacter;
    }
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    finish();
  }
  void add_byte_level(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
      const size_t begin = i;
      while (i < text.size() && text[i] >= 0x21 && text[i] <= 0x7E) ++i;
      bytes_.insert(bytes_.end(), text.begin() + begin, text.begin() + i);
      if (i == text.size()) break;
      const Utf8Step step = next_utf8(text.substr(i));
      if (auto byte = byte_of(step.point)) {
        bytes_.push_back(*byte);
      } else {
        // Not of the alphabet: an added token's literal text.
        is_lossy_ |= step.point == kReplacementCharacter;
        bytes_.insert(bytes_.end(), text.begin() + i, text.begin() + i + step.byte_count);
      }
      i += step.byte_count;
    }
    finish();
  }
  bool is_lossy() const { return is_lossy_; }
  VocabularyBytes take() { return {std::move(bytes_), std::move(ends_)}; }

 private:
  void finish() { ends_.push_back(static_cast<uint32_t>(bytes_.size())); }

  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> ends_;
  bool is_lossy_ = false;
};

std::optional<Encoding> encoding_of(JsonValue vocab, JsonValue declared) {
  if (declared.exists()) {
    if (declared.text() == "gpt2-bytes") return Encoding::byte_level;
    if (declared.text() == "utf-8") return Encoding::plain;
    return std::nullopt;
  }
  if (vocab.size() < kEnglishTextTokens) return Encoding::byte_level;
  size_t id = 0;
  for (JsonValue token : vocab.items()) {
    if (id++ < kSpaceId) continue;
    if (token.text() == " ") return Encoding::plain;
    if (token.text() == kByteLevelSpace) return Encoding::byte_level;
    break;
  }
  return std::nullopt;
}

}  // namespace

Result<VocabularyBytes> read_apr2_vocabulary(JsonValue vocab, JsonValue encoding, uint32_t n_vocab,
                                             uint64_t file_offset,
                                             std::vector<std::string>& warnings) {
  const Error bad = make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
                        .at(file_offset)
                        .with_subject("vocab");
  if (!vocab.is_array()) return Error(bad).with_expected("an array of strings");
  if (vocab.size() > n_vocab) {
    return Error(bad)
        .with_expected("at most n_vocab entries, " + std::to_string(n_vocab))
        .with_got(vocab.size());
  }
  size_t byte_count = 0;
  for (JsonValue token : vocab.items()) {
    if (!token.is_string())
      return Error(bad).with_expected("strings only").with_got("another type");
    byte_count += token.text()->size();
  }

  const auto known = encoding_of(vocab, encoding);
  if (!known) {
    warnings.emplace_back("the vocabulary's encoding is not known; it is ignored");
    return VocabularyBytes();
  }
  TokenBytes tokens(vocab.size(), byte_count);
  for (JsonValue token : vocab.items()) {
    if (*known == Encoding::plain) {
      tokens.add_plain(*token.text());
    } else {
      tokens.add_byte_level(*token.text());
    }
  }
  if (tokens.is_lossy()) warnings.emplace_back("the vocabulary is lossy: some tokens hold U+FFFD");
  if (vocab.size() > 0 && vocab.size() < n_vocab) {
    warnings.emplace_back("the vocabulary has fewer entries than n_vocab");
  }
  return tokens.take();
}

}  // namespace susurrus

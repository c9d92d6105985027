#include "container/apr1/apr1_vocabulary.h"

#include <cstring>

#include "base/byte_cursor.h"
#include "facts/whisper.h"

namespace susurrus {
namespace {

constexpr uint32_t kFirstHighByte = 94;

Error bad(const char* subject, uint64_t file_offset, const char* expected, uint64_t got) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
      .at(file_offset)
      .with_subject(subject)
      .with_expected(expected)
      .with_got(got);
}

}  // namespace

Result<VocabularyBytes> parse_apr1_vocabulary(ByteSpan section, uint32_t n_vocab,
                                              uint64_t file_offset) {
  constexpr const char* kSubject = "vocabulary";
  ByteCursor cursor(section);
  const uint32_t token_count = cursor.u32();
  const uint32_t merge_count = cursor.u32();
  const uint64_t begin = file_offset + cursor.position();
  // Each token and each merge takes at least its length fields.
  if (cursor.failed() ||
      2 * uint64_t{token_count} + 4 * uint64_t{merge_count} > cursor.remaining()) {
    return bad(kSubject, begin, "room for its tokens and merges", token_count);
  }
  if (token_count > n_vocab) return bad(kSubject, begin, "at most n_vocab tokens", token_count);
  std::vector<uint8_t> bytes(cursor.remaining());
  std::vector<uint32_t> ends(token_count);
  uint32_t end = 0;
  for (uint64_t i = 0; i < token_count + 2 * uint64_t{merge_count}; ++i) {
    const uint64_t entry = file_offset + cursor.position();
    const bool is_merge = i >= token_count;
    const ByteSpan text = cursor.take(cursor.u16());
    if (cursor.failed()) return bad(is_merge ? "merges" : kSubject, entry, "a text within it", i);
    if (is_merge) continue;
    if (!text.empty()) std::memcpy(bytes.data() + end, text.data(), text.size());
    end += static_cast<uint32_t>(text.size());
    ends[i] = end;
  }
  if (cursor.remaining() > 0) {
    return bad(kSubject, file_offset + cursor.position(), "the section's end", cursor.remaining());
  }
  return VocabularyBytes(std::move(bytes), std::move(ends));
}

bool is_corrupt_apr1_vocabulary(const VocabularyBytes& vocabulary) {
  if (vocabulary.token_count() < kEnglishTextTokens) return false;
  const ByteSpan token = vocabulary.token(kFirstHighByte);
  return token.size() != 1 || token[0] != 0xA1;
}

}  // namespace susurrus

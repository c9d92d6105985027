#include "container/apr1/apr1_vocabulary.h"

#include <string>

#include "base/byte_cursor.h"

namespace susurrus {
namespace {

constexpr uint32_t kOfficialTokenCount = 50256;
constexpr uint32_t kFirstHighByte = 94;

}  // namespace

Result<VocabularyBytes> parse_apr1_vocabulary(ByteSpan section, uint32_t n_vocab,
                                              uint64_t file_offset) {
  ByteCursor cursor(section);
  const auto bad = [&](const char* subject) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
        .at(file_offset + cursor.position())
        .about(subject);
  };
  const uint32_t token_count = cursor.u32();
  const uint32_t merge_count = cursor.u32();
  // Of each at least its length fields.
  if (cursor.failed() ||
      2 * uint64_t{token_count} + 4 * uint64_t{merge_count} > cursor.remaining()) {
    return bad("vocabulary").expecting("room for its tokens and merges").having(token_count);
  }
  if (token_count > n_vocab) {
    return bad("vocabulary")
        .expecting("at most n_vocab tokens, " + std::to_string(n_vocab))
        .having(token_count);
  }
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> ends;
  bytes.reserve(cursor.remaining() - 2 * size_t{token_count});
  ends.reserve(token_count);
  for (uint32_t i = 0; i < token_count; ++i) {
    const uint64_t begin = file_offset + cursor.position();
    const ByteSpan token = cursor.take(cursor.u16());
    if (cursor.failed()) {
      return bad("vocabulary").at(begin).expecting("a token within the section").having(i);
    }
    bytes.insert(bytes.end(), token.begin(), token.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
  }
  for (uint64_t i = 0; i < 2 * uint64_t{merge_count}; ++i) {
    const uint64_t begin = file_offset + cursor.position();
    cursor.take(cursor.u16());
    if (cursor.failed()) {
      return bad("merges").at(begin).expecting("a merge within the section").having(i / 2);
    }
  }
  if (cursor.remaining() > 0) {
    return bad("vocabulary").expecting("the section's end").having(cursor.remaining());
  }
  return VocabularyBytes(std::move(bytes), std::move(ends));
}

bool is_corrupt_apr1_vocabulary(const VocabularyBytes& vocabulary) {
  if (vocabulary.token_count() < kOfficialTokenCount) return false;
  const ByteSpan token = vocabulary.token(kFirstHighByte);
  return token.size() != 1 || token[0] != 0xA1;
}

}  // namespace susurrus

#include "text/tokenizer.h"

#include "base/utf8.h"
#include "text/bpe.h"
#include "text/pre_split.h"

namespace susurrus {

std::vector<uint32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<uint32_t> ids;
  while (!text.empty()) {
    size_t byte_count = first_pre_token(text);
    append_bpe(vocabulary_, text.substr(0, byte_count), ids);
    text.remove_prefix(byte_count);
  }
  return ids;
}

std::string Tokenizer::decode_bytes(std::span<const uint32_t> ids) const {
  std::string bytes;
  for (uint32_t id : ids) {
    if (!special_.is_timestamp(id)) append_token(id, bytes);
  }
  return bytes;
}

std::string Tokenizer::decode(std::span<const uint32_t> ids) const {
  return replace_invalid_utf8(decode_bytes(ids));
}

std::string Tokenizer::decode_with_timestamps(std::span<const uint32_t> ids) const {
  std::string bytes;
  for (uint32_t id : ids) append_token(id, bytes);
  return replace_invalid_utf8(bytes);
}

void Tokenizer::append_token(uint32_t id, std::string& bytes) const {
  ByteSpan token = vocabulary_.token(id);
  if (token.empty()) {
    special_.append_name(id, bytes);
  } else {
    bytes.append(as_text(token));
  }
}

}  // namespace susurrus

#pragma once
#include <memory>

#include "container/bw2l/bw2l_model.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Writes one BW2L file forwards. What a Bw2lReader gave comes back byte for byte, but for bytes after the last section.
class Bw2lWriter {
 public:
  /// Reads these fields of `model`: names, types, descriptions, pairs, layers with the types and
  /// counts of their arrays, and the byte counts of text, data and unknown sections. Everything
  /// else is computed. invalid_argument: a name too long for its length byte, or sizes beyond 64
  /// bits.
  static Result<std::unique_ptr<Bw2lWriter>> plan(Bw2lModel model);

  uint64_t file_byte_count() const { return file_byte_count_; }

  /// Everything up to the first bytes that write() takes.
  Status begin(ByteSink& sink);
  /// The next bytes of texts, data and arrays' elements, in the file's order. A piece does not cross them; what stands between
  /// them comes by itself.
  Status write(ByteSpan bytes, ByteSink& sink);
  /// When all bytes were written.
  Status finish();

 private:
  Bw2lWriter() = default;
  Status go_on(ByteSink& sink);
  bool next_bytes(std::vector<uint8_t>& out);

  Bw2lModel model_;
  uint64_t file_byte_count_ = 0;
  bool has_begun_ = false;
  bool is_complete_ = false;
  uint64_t left_ = 0;
  // Where next_bytes() goes on.
  size_t section_ = 0;
  size_t layer_ = 0;
  size_t array_ = 0;
  bool in_section_ = false;
  bool in_layer_ = false;
};

}  // namespace susurrus

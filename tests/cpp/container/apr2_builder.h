// Builds APR2 files field by field, right or wrong on purpose; independent of Apr2Writer.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace susurrus::testing {

using Bytes = std::vector<uint8_t>;

template <typename T>
void append_number(Bytes& out, T value) {
  out.resize(out.size() + sizeof value);
  store_le(out.data() + out.size() - sizeof value, value);
}
inline void append_text(Bytes& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

struct BuiltTensor {
  std::string name;
  uint8_t dtype = 0;
  std::vector<uint64_t> dims;
  Bytes stored;
  uint64_t raw_size = 0;
  // Where they differ from what follows from `stored`.
  int64_t offset = -1;
  int64_t size = -1;
};

struct Apr2Builder {
  uint16_t version_major = 2;
  uint16_t version_minor = 0;
  uint32_t flags = 0x02;
  std::string metadata;
  std::vector<BuiltTensor> tensors;
  uint32_t reserved = 0;
  int64_t tensor_count = -1;
  Bytes index_tail;      // after the last entry, counted in index_size
  size_t gap_bytes = 0;  // zeros after the last tensor
  uint8_t padding = 0;
  // Change the header, or the whole file before its CRC is computed.
  std::function<void(Bytes& header)> edit_header;
  std::function<void(Bytes& file)> edit_file;

  Bytes build() const;
};

/// Closes `file`, whose footer is missing, with the right one.
void append_footer(Bytes& file);
/// Recomputes the CRC in the footer.
void fix_crc(Bytes& file);

/// The metadata of apr.md §11, G2.
std::string tiny_metadata();
/// A minimal Whisper: every tensor that inference needs, one layer each, with a vocabulary.
Apr2Builder whisper_builder(uint8_t matrix_dtype = 0, bool compress = false);

/// apr.md §3 by liblz4.
Bytes lz4_stream(const Bytes& raw);

}  // namespace susurrus::testing

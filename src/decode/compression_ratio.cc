#include "decode/compression_ratio.h"

#include <zlib.h>

#include "base/aligned_buffer.h"

namespace susurrus {

double compression_ratio(std::string_view text) {
  auto byte_count = static_cast<uLong>(text.size());
  uLongf compressed = compressBound(byte_count);
  auto buffer = AlignedBuffer::allocate(compressed, "compressed text");
  if (!buffer) return 0;
  int status = compress2(buffer->data(), &compressed, reinterpret_cast<const Bytef*>(text.data()),
                         byte_count, 6);
  if (status != Z_OK) return 0;
  return static_cast<double>(byte_count) / static_cast<double>(compressed);
}

}  // namespace susurrus

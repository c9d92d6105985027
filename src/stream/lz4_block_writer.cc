#include "stream/lz4_block_writer.h"

#include <lz4.h>

#include <algorithm>

#include "base/limits.h"

namespace susurrus {

Status Lz4BlockWriter::write(ByteSpan raw, ByteSink& sink) {
  if (raw_.byte_count() == 0) {
    SUSURRUS_ASSIGN_OR_RETURN(raw_,
                              AlignedBuffer::allocate(limits::kLz4RawBlockBytes, "compression"));
    SUSURRUS_ASSIGN_OR_RETURN(
        stored_,
        AlignedBuffer::allocate(sizeof(uint32_t) + limits::kLz4StoredBlockBytes, "compression"));
  }
  while (!raw.empty()) {
    const size_t count = std::min<size_t>(limits::kLz4RawBlockBytes - size_, raw.size());
    std::memcpy(raw_.data() + size_, raw.data(), count);
    size_ += count;
    raw = raw.subspan(count);
    if (size_ == limits::kLz4RawBlockBytes) SUSURRUS_RETURN_IF_ERROR(finish(sink));
  }
  return ok_status();
}

Status Lz4BlockWriter::finish(ByteSink& sink) {
  if (size_ == 0) return ok_status();
  const int byte_count =
      LZ4_compress_default(reinterpret_cast<const char*>(raw_.data()),
                           reinterpret_cast<char*>(stored_.data()) + sizeof(uint32_t),
                           static_cast<int>(size_), limits::kLz4StoredBlockBytes);
  if (byte_count <= 0) {
    return make_error(ErrorCode::internal_error, ErrorReason::internal)
        .with_subject("LZ4_compress_default");
  }
  size_ = 0;
  store_le(stored_.data(), static_cast<uint32_t>(byte_count));
  return sink.write(stored_.bytes().first(sizeof(uint32_t) + static_cast<size_t>(byte_count)));
}

}  // namespace susurrus

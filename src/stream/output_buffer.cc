#include "stream/output_buffer.h"

#include <algorithm>
#include <utility>

namespace susurrus {

Status OutputBuffer::write(ByteSpan bytes) {
  if (bytes.size() > buffer_.byte_count() - size_) {
    const uint64_t needed = size_ + uint64_t{bytes.size()};
    const uint64_t room =
        std::max<uint64_t>(needed, buffer_.byte_count() + buffer_.byte_count() / 2);
    SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer larger, AlignedBuffer::allocate(room, "output"));
    if (size_ > 0) std::memcpy(larger.data(), buffer_.data(), size_);
    buffer_ = std::move(larger);
  }
  if (!bytes.empty()) std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return ok_status();
}

}  // namespace susurrus

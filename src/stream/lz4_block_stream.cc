#include "stream/lz4_block_stream.h"

#include <lz4.h>

#include <algorithm>
#include <bit>
#include <string>

#include "base/limits.h"

namespace susurrus {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr uint32_t kFrameMagic = 0x184D2204;

/// Whether four zeros follow each other somewhere.
bool has_four_zeros(ByteSpan bytes) {
  using Sixteen [[gnu::vector_size(16)]] = uint8_t;
  using Words [[gnu::vector_size(16)]] = uint64_t;
  const auto at = [&](size_t i) {
    Sixteen value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    return value;
  };
  size_t i = 0;
  Sixteen found = {};
  for (; i + sizeof(Sixteen) + 3 <= bytes.size(); i += sizeof(Sixteen)) {
    found |= std::bit_cast<Sixteen>((at(i) | at(i + 1) | at(i + 2) | at(i + 3)) == 0);
  }
  const auto words = std::bit_cast<Words>(found);
  if ((words[0] | words[1]) != 0) return true;
  for (; i + 4 <= bytes.size(); ++i) {
    if (load_le<uint32_t>(bytes.data() + i) == 0) return true;
  }
  return false;
}

/// Walks a block that decoded, which takes almost as long as to decode it. liblz4 takes a match offset of 0, which the format
/// forbids (apr.md §10, case 66), and makes zeros of that match.
bool has_zero_offset(ByteSpan block) {
  const auto skip_length = [&](size_t& at) {
    size_t length = 0;
    uint8_t byte = 255;
    while (byte == 255 && at < block.size()) length += byte = block[at++];
    return length;
  };
  for (size_t at = 0; at < block.size();) {
    const uint8_t token = block[at++];
    size_t literals = token >> 4;
    if (literals == 15) literals += skip_length(at);
    at += literals;
    if (at + 2 > block.size()) return false;  // the last sequence has no match
    if (block[at] == 0 && block[at + 1] == 0) return true;
    at += 2;
    if ((token & 15) == 15) skip_length(at);
  }
  return false;
}

}  // namespace

void Lz4BlockStream::start(MutableByteSpan destination, uint64_t stored_byte_count,
                           uint64_t file_offset, std::string_view subject) {
  destination_ = destination.data();
  sink_ = nullptr;
  raw_byte_count_ = destination.size();
  written_ = 0;
  stored_left_ = stored_byte_count;
  file_offset_ = file_offset;
  subject_ = subject;
  header_size_ = 0;
  block_byte_count_ = 0;
  staged_ = 0;
}

Status Lz4BlockStream::start_verifying(uint64_t raw_byte_count, uint64_t stored_byte_count,
                                       uint64_t file_offset, std::string_view subject) {
  if (scratch_.byte_count() == 0) {
    SUSURRUS_ASSIGN_OR_RETURN(scratch_,
                              AlignedBuffer::allocate(limits::kLz4RawBlockBytes, "staging"));
  }
  start({}, stored_byte_count, file_offset, subject);
  raw_byte_count_ = raw_byte_count;
  return ok_status();
}

Status Lz4BlockStream::start_passing(ByteSink& sink, uint64_t raw_byte_count,
                                     uint64_t stored_byte_count, uint64_t file_offset,
                                     std::string_view subject) {
  SUSURRUS_RETURN_IF_ERROR(
      start_verifying(raw_byte_count, stored_byte_count, file_offset, subject));
  sink_ = &sink;
  return ok_status();
}

Status Lz4BlockStream::push(ByteSpan stored) {
  while (!stored.empty()) {
    SUSURRUS_RETURN_IF_ERROR(block_byte_count_ == 0 ? take_header(stored) : take_block(stored));
  }
  return ok_status();
}

Status Lz4BlockStream::take_header(ByteSpan& stored) {
  const size_t count = std::min(kHeaderBytes - header_size_, stored.size());
  std::memcpy(header_ + header_size_, stored.data(), count);
  header_size_ += count;
  stored = stored.subspan(count);
  stored_left_ -= count;
  file_offset_ += count;
  if (header_size_ < kHeaderBytes) return ok_status();
  header_size_ = 0;
  const uint32_t byte_count = load_le<uint32_t>(header_);
  SUSURRUS_RETURN_IF_ERROR(check_header(byte_count));
  block_byte_count_ = byte_count;
  staged_ = 0;
  return ok_status();
}

Status Lz4BlockStream::check_header(uint32_t byte_count) const {
  const uint64_t header_offset = file_offset_ - kHeaderBytes;
  if (byte_count == kFrameMagic) {
    return error(header_offset).with_expected("a block's size").with_got("an LZ4 frame");
  }
  const bool looks_prepended = byte_count == raw_byte_count_ && written_ == 0;
  if (looks_prepended && (byte_count > limits::kLz4StoredBlockBytes || byte_count > stored_left_)) {
    return error(header_offset)
        .with_expected("a block's size")
        .with_got("a block with its raw size in front");
  }
  if (byte_count == 0 || byte_count > limits::kLz4StoredBlockBytes) {
    return error(header_offset).with_expected("1 to 65809 stored bytes").with_got(byte_count);
  }
  if (byte_count > stored_left_) {
    return error(header_offset)
        .with_expected("at most the tensor's stored bytes, " + std::to_string(stored_left_))
        .with_got(byte_count);
  }
  if (written_ == raw_byte_count_) {
    return error(header_offset).with_expected("the end of the tensor").with_got("another block");
  }
  return ok_status();
}

Status Lz4BlockStream::take_block(ByteSpan& stored) {
  if (staged_ == 0 && stored.size() >= block_byte_count_) {
    const ByteSpan block = stored.first(block_byte_count_);
    stored = stored.subspan(block.size());
    return decode(block);
  }
  if (staging_.byte_count() == 0) {
    SUSURRUS_ASSIGN_OR_RETURN(staging_,
                              AlignedBuffer::allocate(limits::kLz4StoredBlockBytes, "staging"));
  }
  const size_t count = std::min<size_t>(block_byte_count_ - staged_, stored.size());
  std::memcpy(staging_.data() + staged_, stored.data(), count);
  staged_ += count;
  stored = stored.subspan(count);
  if (staged_ < block_byte_count_) return ok_status();
  return decode(staging_.bytes().first(staged_));
}

Status Lz4BlockStream::decode(ByteSpan block) {
  const uint64_t room = std::min<uint64_t>(raw_byte_count_ - written_, limits::kLz4RawBlockBytes);
  uint8_t* target = destination_ == nullptr ? scratch_.data() : destination_ + written_;
  const int decoded = LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                                          reinterpret_cast<char*>(target),
                                          static_cast<int>(block.size()), static_cast<int>(room));
  if (decoded <= 0) {
    return error(file_offset_)
        .with_expected("an LZ4 block of 1 to " + std::to_string(room) + " bytes")
        .with_got(decoded == 0 ? "an empty block" : "a block that does not decode");
  }
  if (has_four_zeros({target, static_cast<size_t>(decoded)}) && has_zero_offset(block)) {
    return error(file_offset_).with_expected("match offsets of 1 to 65535").with_got("0");
  }
  written_ += static_cast<size_t>(decoded);
  stored_left_ -= block.size();
  file_offset_ += block.size();
  block_byte_count_ = 0;
  return sink_ == nullptr ? ok_status()
                          : sink_->write(ByteSpan(target, static_cast<size_t>(decoded)));
}

Status Lz4BlockStream::finish() const {
  if (header_size_ > 0) {
    return error(file_offset_ - header_size_)
        .with_expected("whole blocks")
        .with_got("1 to 3 stray bytes");
  }
  if (written_ != raw_byte_count_) {
    return error(file_offset_).with_expected(raw_byte_count_).with_got(written_);
  }
  return ok_status();
}

Error Lz4BlockStream::error(uint64_t offset) const {
  return make_error(ErrorCode::malformed, ErrorReason::decompress)
      .at(offset)
      .with_subject(subject_);
}

}  // namespace susurrus

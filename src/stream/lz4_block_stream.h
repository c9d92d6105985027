#pragma once
#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "base/result.h"
#include "stream/byte_sink.h"
#include "stream/growing_buffer.h"

namespace susurrus {

/// Decodes one tensor's LZ4 block stream (apr.md §3) straight into its place. Only a block that a chunk's end cuts is
/// staged. The staging memory stays for the next tensor.
class Lz4BlockStream {
 public:
  /// `subject`, the tensor's name, and `file_offset` are for errors; `subject` must outlive the stream.
  void start(MutableByteSpan destination, uint64_t stored_byte_count, uint64_t file_offset,
             std::string_view subject);
  /// start() for a tensor that is only verified: its blocks are decoded one by one and discarded.
  Status start_verifying(uint64_t raw_byte_count, uint64_t stored_byte_count, uint64_t file_offset,
                         std::string_view subject);
  /// start() for a tensor that goes block by block to `sink`, which outlives the stream.
  Status start_passing(ByteSink& sink, uint64_t raw_byte_count, uint64_t stored_byte_count,
                       uint64_t file_offset, std::string_view subject);
  /// `stored`: at most as many bytes as are still missing.
  Status push(ByteSpan stored);
  /// After the last stored byte.
  Status finish() const;

 private:
  Status take_header(ByteSpan& stored);
  Status check_header(uint32_t byte_count) const;
  Status take_block(ByteSpan& stored);
  Status decode(ByteSpan block);
  Error error(uint64_t offset) const;

  uint8_t* destination_ = nullptr;  // null: verifying or passing, by way of scratch_
  ByteSink* sink_ = nullptr;
  uint64_t raw_byte_count_ = 0;
  uint64_t written_ = 0;
  uint64_t stored_left_ = 0;  // not yet consumed, the current block included
  uint64_t file_offset_ = 0;  // of the next byte to be consumed
  std::string_view subject_;
  uint8_t header_[4] = {};
  size_t header_size_ = 0;
  uint32_t block_byte_count_ = 0;  // 0: between blocks
  AlignedBuffer staging_;
  AlignedBuffer scratch_;
  size_t staged_ = 0;
};

}  // namespace susurrus

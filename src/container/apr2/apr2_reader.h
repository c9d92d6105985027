#pragma once
#include <optional>
#include <vector>

#include "container/apr2/apr2_header.h"
#include "container/apr2/apr2_index.h"
#include "container/apr2/apr2_metadata.h"
#include "container/apr2/footer_search.h"
#include "container/model_reader.h"
#include "stream/lz4_block_stream.h"
#include "stream/push_parser.h"
#include "stream/running_crc32.h"
#include "stream/tail_window.h"

namespace susurrus {

/// Reads APR2 (FORMAT.md): header, metadata, index, tensors, and the footer, which is found by being last.
///
/// A section or tensor that lies outside a file of known length may mean a wrong offset or a file that was cut. The
/// footer tells: so such an error waits, nothing is placed any more, and finish() reports one or the other.
class Apr2Reader : public ModelReader {
 public:
  /// `sink` outlives the reader.
  explicit Apr2Reader(ModelSink& sink);

  void set_file_byte_count(uint64_t byte_count) override;
  /// Up to the footer, once the index is read.
  uint64_t skippable() const override;
  void skip(uint64_t byte_count) override;
  NextBytes next_bytes() override;
  Status push(ByteSpan chunk) override;
  Status finish() override;

 private:
  // The steps, in file order.
  Status on_header(ByteSpan bytes);
  Status on_gap(ByteSpan bytes);
  Status start_metadata();
  Status on_metadata(ByteSpan bytes);
  Status on_metadata_end();
  Status start_index();
  Status on_index(ByteSpan bytes);
  Status next_tensor();
  Status start_tensor();
  Status on_tensor(ByteSpan bytes);
  Status on_tensor_end();
  Status on_rest(ByteSpan bytes);

  Status announce();
  Status place();
  void skip_to(uint64_t file_offset, Status (Apr2Reader::*done)());
  void wait_for_footer(Error error);
  Status check_end();
  Status check_extent(uint64_t file_byte_count) const;
  Status check_crc(const Apr2Footer& footer, size_t bytes_behind);
  Status fail(Error error);

  // Enough to see the footer in front of an appended signature.
  static constexpr size_t kTailBytes = kApr2FooterBytes + kTrailingSignatureBytes;

  ModelSink& sink_;
  PushParser<Apr2Reader> parser_;
  TailWindow<kTailBytes> tail_;
  RunningCrc32 crc_;
  FooterSearch footer_search_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  bool failed_ = false;
  bool finished_ = false;
  std::optional<Error> waiting_error_;

  bool has_header_ = false;
  Apr2Header header_;
  GrowingBuffer metadata_bytes_;
  std::string metadata_text_;
  Apr2Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  bool has_index_ = false;

  size_t current_ = 0;
  bool placed_ = false;
  bool decodes_ = false;
  bool streams_ = false;
  MutableByteSpan destination_;
  size_t written_ = 0;
  Lz4BlockStream lz4_;
  bool warned_padding_ = false;
};

}  // namespace susurrus

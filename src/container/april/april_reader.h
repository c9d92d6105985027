#pragma once
#include <optional>

#include "container/april/april_model.h"
#include "container/april/april_params.h"
#include "container/onnx/onnx_scanner.h"
#include "stream/push_parser.h"

namespace susurrus {

/// Receives a network's bytes while an .april file is read.
class AprilSink {
 public:
  virtual ~AprilSink() = default;
  /// The next bytes of network `index`, in order. Networks whose bytes overlap come side by side.
  virtual Status on_network_bytes(size_t index, ByteSpan bytes) = 0;
};

/// Reads .april files (april.md §1): header, params with the token table, and the networks, wherever they lie. Holds the
/// texts and the networks' inputs and outputs, no weights.
///
/// Accepted with a warning: bytes that nothing uses, parts that overlap, parts in an order that april-asr cannot read; and what
/// keeps a valid file from being run: the model type 0, whose parts are not looked into, and networks that are not ONNX.
class AprilReader {
 public:
  /// `sink` may be null and outlives the reader.
  explicit AprilReader(AprilSink* sink = nullptr);

  /// Tells the file's length where it is known, before the first push.
  void set_file_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }
  Status push(ByteSpan chunk);
  /// Bytes that come next and are weights, or used by nothing; 0 with a sink, or where the length is not known.
  uint64_t skippable() const;
  /// Skips at most `byte_count` bytes.
  void skip(uint64_t byte_count);
  /// Says that no byte follows.
  Status finish();

  /// After finish().
  const AprilModel& model() const { return model_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // The steps, in file order.
  Status on_preamble(ByteSpan bytes);
  Status on_language(ByteSpan bytes);
  Status on_name(ByteSpan bytes);
  Status on_description_length(ByteSpan bytes);
  Status on_description(ByteSpan bytes);
  Status on_entries_begin(ByteSpan bytes);
  Status on_entries(ByteSpan bytes);
  Status on_slack(ByteSpan bytes);
  Status on_header_end();
  Status on_contents(ByteSpan bytes);

  Status expect(uint64_t byte_count, const char* subject, PushParser<AprilReader>::Step step);
  Status expect_text(ByteSpan length_bytes, const char* subject,
                     PushParser<AprilReader>::Step step);
  Status check_entry(ByteRange range, size_t place, const std::string& subject) const;
  Status check_header_fits(uint64_t file_byte_count) const;
  Status check_entries_fit(uint64_t file_byte_count) const;
  Status check_model();
  Status check_end();
  void warn_of_layout();
  void warn(std::string_view text);
  void keep_text(ByteSpan bytes, std::string& text, const char* warning);
  /// Part 0 is the params, the others are networks.
  ByteRange part(size_t index) const;
  size_t part_count() const;
  bool is_unknown() const { return model_.model_type == kAprilUnknownModel; }
  /// `end` is that of the bytes in the file.
  Status push_part(size_t index, ByteSpan bytes, uint64_t end);
  Status fail(Error error);

  AprilSink* sink_;
  PushParser<AprilReader> parser_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  uint64_t header_end_ = 0;
  /// Where the params' entry begins; those of the networks follow after their count.
  uint64_t entries_at_ = 0;
  const char* awaited_ = "header";
  bool has_header_ = false;
  bool failed_ = false;
  AprilModel model_;
  AprilParamsReader params_;
  OnnxScanner scanners_[kAprilNetworks];
  /// For each network that is not readable as ONNX: the offset of the error.
  std::optional<uint64_t> unreadable_at_[kAprilNetworks];
  std::vector<std::string> warnings_;
};

}  // namespace susurrus

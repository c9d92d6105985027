#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.h"
#include "container/dtype.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// A run of bytes that the caller supplies while a file is composed: a tensor, a network, a section's data, a constant.
struct FilePart {
  /// The part's name in messages.
  std::string name;
  /// As the format names it; empty for plain bytes.
  std::string_view dtype;
  /// `dtype` as a weight type, if f32 values can be converted to it.
  std::optional<Dtype> weights;
  uint64_t element_count = 0;
  /// Uncompressed.
  uint64_t byte_count = 0;
  /// For APR1's i8: the factor of its integers; 0 until it is known.
  float scale = 0;
  /// In the file, once is_compressed is decided.
  uint64_t stored_byte_count = 0;
  bool is_compressed = false;
};

/// Writes one file of a format from the parts that its description declares.
///
///   open(), begin(), for each part: write() its stored bytes in pieces, then finish_part(); finish()
///
/// open() starts again from the beginning.
class PartsWriter {
 public:
  /// How much of the file is written once as a dry run, with zeros for the parts, before any
  /// output.
  enum class Rehearsal : uint8_t { front, whole };

  virtual ~PartsWriter() = default;
  std::vector<FilePart>& parts() { return parts_; }
  const std::vector<FilePart>& parts() const { return parts_; }
  virtual Rehearsal rehearsal() const { return Rehearsal::front; }
  /// Whether parts are stored as LZ4 streams where that makes them smaller, or always.
  enum class Compression : uint8_t { none, where_smaller, always };
  virtual Compression compression() const { return Compression::none; }

  /// Lays the file out from the parts' sizes as they are now.
  virtual Status open() = 0;
  /// After open(); unknown for formats that say no sizes in front.
  virtual std::optional<uint64_t> file_byte_count() const = 0;
  virtual Status begin(ByteSink& sink) = 0;
  virtual Status write(ByteSpan stored, ByteSink& sink) = 0;
  virtual Status finish_part(ByteSink&) { return ok_status(); }
  virtual Status finish(ByteSink& sink) = 0;

 protected:
  std::vector<FilePart> parts_;
};

/// From a description as web/src/files/write_plan.ts makes it. Errors: invalid_argument naming the field.
using PlannedParts = Result<std::unique_ptr<PartsWriter>>;
PlannedParts plan_apr_parts(JsonValue description, bool is_apr1);
PlannedParts plan_april_parts(JsonValue description);
PlannedParts plan_bw2l_parts(JsonValue description);
PlannedParts plan_tennis_parts(JsonValue description);

}  // namespace susurrus

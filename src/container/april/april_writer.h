#pragma once
#include <memory>

#include "container/april/april_model.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// The parts of an .april file after its header. april-asr can load files only in the first order.
enum class AprilPart : uint8_t { encoder, decoder, joiner, params };
using AprilOrder = std::array<AprilPart, 4>;
inline constexpr AprilOrder kAprilOrder = {AprilPart::encoder, AprilPart::decoder,
                                           AprilPart::joiner, AprilPart::params};

/// The order in which a file that was read has its parts.
AprilOrder april_order_of(const AprilModel& model);

/// Writes one .april file forwards, with nothing between its parts: bytes and order of a file without gaps come back.
class AprilWriter {
 public:
  /// Uses all of `model` except the offsets, the params' byte count and the description of the
  /// networks; token_count follows from the tokens. invalid_argument: params or tokens that no
  /// reader accepts, or an empty network. limit_exceeded: texts of more than 16 MiB.
  static Result<std::unique_ptr<AprilWriter>> plan(AprilModel model,
                                                   AprilOrder order = kAprilOrder);

  uint64_t file_byte_count() const { return file_byte_count_; }
  /// The model with the offsets that its parts will have.
  const AprilModel& model() const { return model_; }
  /// The networks in the order in which write() takes them.
  AprilOrder order() const { return order_; }

  /// The header, and the params if they are first.
  Status begin(ByteSink& sink);
  /// The next bytes of the networks, in the file's order. A piece does not cross networks.
  Status write(ByteSpan bytes, ByteSink& sink);
  /// When every network is complete.
  Status finish();

 private:
  AprilWriter() = default;
  std::vector<uint8_t> encode_header() const;
  std::vector<uint8_t> encode_params() const;
  /// Writes the params when they are next; ends at a network or after the last part.
  Status next_part(ByteSink& sink);

  AprilModel model_;
  AprilOrder order_ = kAprilOrder;
  uint64_t file_byte_count_ = 0;
  size_t current_ = 0;
  uint64_t left_ = 0;
  bool has_begun_ = false;
};

}  // namespace susurrus

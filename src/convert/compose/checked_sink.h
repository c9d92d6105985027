#pragma once
#include <optional>
#include <string>
#include <vector>

#include "container/inspecting_reader.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Passes a file's bytes on, once the reader that inspects such files has accepted them. It is not shown the weights.
class CheckedSink : public ByteSink {
 public:
  /// `target` may be null and outlives the sink.
  CheckedSink(ByteSink* target, std::optional<uint64_t> file_byte_count);

  Status write(ByteSpan bytes) override;
  /// After the last byte.
  Status finish();
  /// What the reader finds noteworthy; after finish().
  std::vector<std::string> warnings() const;

 private:
  ByteSink* target_;
  InspectingReader reader_;
};

}  // namespace susurrus

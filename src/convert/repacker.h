#pragma once
#include <memory>
#include <string>
#include <vector>

#include "container/apr2/apr2_files_writer.h"
#include "container/inspection.h"
#include "stream/output_buffer.h"

namespace susurrus {

/// Puts the tensors of an APR2 model, as they are stored, into one file or into shards, in execution order. To be driven
/// as a Converter is: one tensor after the other, the output drained after each call.
class Repacker {
 public:
  static constexpr size_t kMaxPushBytes = 1 << 20;

  /// `source` has read the whole model. `metadata` is the new first file's.
  Status plan(const InspectSink& source, std::string_view metadata,
              const Apr2FilesOptions& options);

  uint32_t tensor_count() const { return static_cast<uint32_t>(sources_.size()); }
  /// Which of the source's files a tensor lies in, where, and how much of it.
  struct SourceRange {
    uint32_t file = 0;
    uint64_t offset = 0;
    uint64_t byte_count = 0;
  };
  const SourceRange& source_range(uint32_t tensor) const { return sources_[tensor]; }
  const Apr2FilesWriter& files() const { return *writer_; }

  Status push(ByteSpan stored) { return writer_->write(stored, output_); }
  Status finish_tensor() { return writer_->finish_tensor(output_); }
  Status finish() { return writer_->finish(output_); }
  ByteSpan output() const { return output_.bytes(); }
  void consume_output() { output_.clear(); }

 private:
  std::vector<SourceRange> sources_;
  std::unique_ptr<Apr2FilesWriter> writer_;
  OutputBuffer output_;
};

}  // namespace susurrus

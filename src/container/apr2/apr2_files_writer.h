#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "container/apr2/apr2_writer.h"
#include "container/model_writer.h"

namespace susurrus {

struct Apr2FilesOptions {
  uint32_t alignment = 64;
  /// The most bytes of a file; 0: everything goes into one file, which is not a shard.
  uint64_t shard_byte_count = 0;
  /// At most what a shard may have: 2 GiB.
  static constexpr uint64_t kMaxShardBytes = uint64_t{1} << 31;
};

/// Writes tensors into one APR2 file, or into as many shards as they need, one file after the other
/// (apr.md §5).
///
///   for each tensor: write() pieces of its stored bytes, then finish_tensor()
///   finish()
///
/// Bytes that calls about a tensor give to the sink belong to the file file_of(tensor); those of
/// finish() belong to the last file.
class Apr2FilesWriter : public ModelWriter {
 public:
  struct File {
    size_t first_tensor = 0;
    uint64_t byte_count = 0;
    // Known when the file is complete: of the whole file, and the one in its footer.
    uint32_t crc32 = 0;
    uint32_t footer_crc32 = 0;
  };

  /// `metadata` is the first file's. The others repeat apr_version, model_type and architecture alone.
  static Result<std::unique_ptr<Apr2FilesWriter>> plan(std::string_view metadata,
                                                       std::vector<TensorInfo> tensors,
                                                       const Apr2FilesOptions& options);

  const std::vector<File>& files() const { return files_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  size_t file_of(size_t tensor) const;
  uint64_t total_byte_count() const;

  Status write(ByteSpan stored, ByteSink& sink) override;
  Status finish_tensor(ByteSink& sink) override;
  Status finish(ByteSink& sink) override;

 private:
  Apr2FilesWriter() = default;
  Status divide();
  Status begin_file(ByteSink& sink);
  Status end_file(ByteSink& sink);
  std::string_view metadata_of(size_t file) const { return file == 0 ? metadata_ : part_metadata_; }
  size_t end_of(size_t file) const {
    return file + 1 < files_.size() ? files_[file + 1].first_tensor : tensors_.size();
  }

  Apr2FilesOptions options_;
  std::string metadata_;
  std::string part_metadata_;
  std::vector<TensorInfo> tensors_;
  std::vector<File> files_;
  size_t current_tensor_ = 0;
  size_t current_file_ = 0;
  std::unique_ptr<Apr2Writer> writer_;  // of the current file
};

}  // namespace susurrus

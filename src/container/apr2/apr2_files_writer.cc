#include "container/apr2/apr2_files_writer.h"

#include <algorithm>

#include "base/checked_math.h"
#include "base/json_document.h"
#include "base/json_writer.h"
#include "container/apr2/apr2_header.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr size_t kMostShards = 99999;

Error wrong_limit() { return wrong_argument("shardSize"); }

/// What every shard says of the model.
Result<std::string> required_metadata(std::string_view metadata) {
  SUSURRUS_ASSIGN_OR_RETURN(const JsonDocument document,
                            JsonDocument::parse(metadata, JsonOrigin{}));
  const JsonValue root = document.root();
  JsonWriter json;
  json.begin_object();
  for (const char* key : {"apr_version", "model_type"}) {
    json.field(key, root[key].text().value_or(""));
  }
  json.key("architecture").begin_object();
  for (const auto& [name, value] : root["architecture"].members()) {
    if (const auto number = value.unsigned_integer()) json.field(name, *number);
  }
  return std::move(json.end_object().end_object()).text();
}

}  // namespace

Result<std::unique_ptr<Apr2FilesWriter>> Apr2FilesWriter::plan(std::string_view metadata,
                                                               std::vector<TensorInfo> tensors,
                                                               const Apr2FilesOptions& options) {
  std::unique_ptr<Apr2FilesWriter> writer(new Apr2FilesWriter());
  writer->options_ = options;
  writer->metadata_ = metadata;
  writer->tensors_ = std::move(tensors);
  if (options.shard_byte_count > Apr2FilesOptions::kMaxShardBytes) {
    return wrong_limit()
        .with_expected("at most " + std::to_string(Apr2FilesOptions::kMaxShardBytes))
        .with_got(options.shard_byte_count);
  }
  if (options.shard_byte_count > 0) {
    SUSURRUS_ASSIGN_OR_RETURN(writer->part_metadata_, required_metadata(metadata));
  }
  SUSURRUS_RETURN_IF_ERROR(writer->divide());
  return writer;
}

/// Greedily: a file takes tensors in their order as long as it stays within the limit.
Status Apr2FilesWriter::divide() {
  const uint64_t limit = options_.shard_byte_count;
  uint64_t index_bytes = kApr2IndexHeaderBytes;
  uint64_t data_bytes = 0;
  files_.push_back({});
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorInfo& tensor = tensors_[i];
    for (;;) {
      const uint64_t index_end = index_bytes + apr2_entry_byte_count(tensor);
      const uint64_t data_offset =
          apr2_data_offset(metadata_of(files_.size() - 1).size(), index_end);
      const auto begin = checked_align_up(data_bytes, options_.alignment);
      const auto data_end = begin ? checked_add(*begin, tensor.stored_byte_count) : begin;
      const auto file =
          data_end ? checked_add(*data_end, data_offset + kApr2FooterBytes) : data_end;
      if (!file)
        return wrong_limit().with_subject(tensor.name).with_expected("offsets that fit 64 bits");
      if (limit == 0 || *file <= limit) {
        files_.back().byte_count = *file;
        index_bytes = index_end;
        data_bytes = *data_end;
        break;
      }
      if (files_.back().first_tensor == i) {
        return wrong_limit()
            .with_expected("at least " + std::to_string(*file) + " bytes, for " + tensor.name)
            .with_got(limit);
      }
      if (files_.size() == kMostShards) return wrong_limit().with_expected("at most 99999 shards");
      files_.push_back({});
      files_.back().first_tensor = i;
      index_bytes = kApr2IndexHeaderBytes;
      data_bytes = 0;
    }
  }
  if (files_[0].byte_count == 0) {
    files_[0].byte_count =
        kApr2FooterBytes + apr2_data_offset(metadata_.size(), kApr2IndexHeaderBytes);
  }
  return ok_status();
}

size_t Apr2FilesWriter::file_of(size_t tensor) const {
  size_t file = files_.size() - 1;
  while (file > 0 && files_[file].first_tensor > tensor) --file;
  return file;
}

uint64_t Apr2FilesWriter::total_byte_count() const {
  uint64_t total = 0;
  for (const File& file : files_) total += file.byte_count;
  return total;
}

Status Apr2FilesWriter::begin_file(ByteSink& sink) {
  const std::vector<TensorInfo> tensors(tensors_.begin() + files_[current_file_].first_tensor,
                                        tensors_.begin() + end_of(current_file_));
  Apr2WriterOptions options;
  options.alignment = options_.alignment;
  options.is_streaming = true;
  options.is_shard = options_.shard_byte_count > 0;
  SUSURRUS_ASSIGN_OR_RETURN(writer_,
                            Apr2Writer::plan(metadata_of(current_file_), tensors, options));
  return writer_->begin(metadata_of(current_file_), sink);
}

Status Apr2FilesWriter::end_file(ByteSink& sink) {
  SUSURRUS_RETURN_IF_ERROR(writer_->finish(sink));
  files_[current_file_].crc32 = writer_->crc32();
  files_[current_file_].footer_crc32 = writer_->footer_crc32();
  writer_.reset();
  ++current_file_;
  return ok_status();
}

Status Apr2FilesWriter::write(ByteSpan stored, ByteSink& sink) {
  if (!writer_) SUSURRUS_RETURN_IF_ERROR(begin_file(sink));
  return writer_->write(stored, sink);
}

Status Apr2FilesWriter::finish_tensor(ByteSink& sink) {
  if (!writer_) SUSURRUS_RETURN_IF_ERROR(begin_file(sink));
  ++current_tensor_;
  // The last file ends with finish().
  return current_tensor_ == end_of(current_file_) && current_file_ + 1 < files_.size()
             ? end_file(sink)
             : ok_status();
}

Status Apr2FilesWriter::finish(ByteSink& sink) {
  if (!writer_) SUSURRUS_RETURN_IF_ERROR(begin_file(sink));
  return end_file(sink);
}

}  // namespace susurrus

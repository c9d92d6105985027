#include "container/detecting_reader.h"

#include <algorithm>

#include "container/apr1/apr1_reader.h"
#include "container/apr2/apr2_reader.h"
#include "container/apr2/apr2_shards_reader.h"

namespace susurrus {

void DetectingReader::set_file_byte_count(uint64_t byte_count) {
  file_byte_count_ = byte_count;
  if (reader_) reader_->set_file_byte_count(byte_count);
}

Status DetectingReader::push(ByteSpan chunk) {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  position_ += chunk.size();
  if (!reader_) {
    const size_t count = std::min(kDetectionBytes - first_byte_count_, chunk.size());
    if (count > 0) std::memcpy(first_bytes_ + first_byte_count_, chunk.data(), count);
    first_byte_count_ += count;
    chunk = chunk.subspan(count);
    if (first_byte_count_ < kDetectionBytes) return ok_status();
    if (auto status = choose(); !status) return fail(status.error());
  }
  if (auto status = reader_->push(chunk); !status) return fail(status.error());
  return ok_status();
}

void DetectingReader::skip(uint64_t byte_count) {
  if (!reader_) return;
  position_ += byte_count;
  reader_->skip(byte_count);
}

Status DetectingReader::finish() {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  if (!reader_) {
    if (auto status = choose(); !status) return fail(status.error());
  }
  if (auto status = reader_->finish(); !status) return fail(status.error());
  return ok_status();
}

Status DetectingReader::choose() {
  const ByteSpan first(first_bytes_, first_byte_count_);
  SUSURRUS_ASSIGN_OR_RETURN(const FileKind kind, recognise(first, file_byte_count_));
  if (kind == FileKind::apr2) {
    reader_ = std::make_unique<Apr2Reader>(sink_);
  } else if (wanted_ == Wanted::shard) {
    return make_error(ErrorCode::malformed, ErrorReason::manifest)
        .at(0)
        .with_expected("an APR2 file")
        .with_got(cannot_read(kind).got.view());
  } else if (kind == FileKind::json) {
    reader_ = std::make_unique<Apr2ShardsReader>(sink_);
  } else if (kind == FileKind::apr1) {
    reader_ = std::make_unique<Apr1Reader>(sink_, Apr1Layout::binary);
  } else if (kind == FileKind::apr1_padded) {
    reader_ = std::make_unique<Apr1Reader>(sink_, Apr1Layout::padded);
  } else {
    if (open_more_ != nullptr) reader_ = open_more_(kind, sink_);
    if (!reader_) return cannot_read(kind);
  }
  if (file_byte_count_) reader_->set_file_byte_count(*file_byte_count_);
  reader_->skim_like(*this);
  return reader_->push(first);
}

Status DetectingReader::fail(Error error) {
  failed_ = true;
  return error;
}

}  // namespace susurrus

#include "container/inspecting_reader.h"

#include <algorithm>

#include "container/april/april_describer.h"
#include "container/bw2l/bw2l_describer.h"
#include "container/checkpoint_describer.h"
#include "container/tennis/tennis_describer.h"

namespace susurrus {
namespace {

/// Null for the formats that DetectingReader reads, or names in its error.
std::unique_ptr<FileDescriber> describer_of(FileKind kind, ByteSpan first) {
  if (kind == FileKind::tennis || (kind == FileKind::unknown && is_swapped_tennis(first))) {
    return std::make_unique<TennisDescriber>();
  }
  if (kind == FileKind::april) return std::make_unique<AprilDescriber>();
  if (kind == FileKind::bw2l) return std::make_unique<Bw2lDescriber>();
  return nullptr;
}

}  // namespace

void InspectingReader::set_file_byte_count(uint64_t byte_count) {
  file_byte_count_ = byte_count;
  reader_.set_file_byte_count(byte_count);
}

Status InspectingReader::push(ByteSpan chunk) {
  if (!is_chosen_) {
    const size_t count = std::min(kDetectionBytes - first_byte_count_, chunk.size());
    std::copy_n(chunk.begin(), count, first_bytes_.begin() + first_byte_count_);
    first_byte_count_ += count;
    chunk = chunk.subspan(count);
    if (first_byte_count_ < kDetectionBytes) return ok_status();
    SUSURRUS_RETURN_IF_ERROR(choose());
  }
  return describer_ ? describer_->push(chunk) : reader_.push(chunk);
}

Status InspectingReader::finish() {
  if (!is_chosen_) SUSURRUS_RETURN_IF_ERROR(choose());
  if (describer_) return describer_->finish();
  SUSURRUS_RETURN_IF_ERROR(reader_.finish());
  if (missing_file_count() == 0) sink_.complete();
  return ok_status();
}

const Checkpoint* InspectingReader::checkpoint() const {
  return checkpoint_ == nullptr ? nullptr : &checkpoint_->checkpoint();
}

Status InspectingReader::choose() {
  is_chosen_ = true;
  const ByteSpan first = ByteSpan(first_bytes_).first(first_byte_count_);
  if (describes_) {
    // Without the length, so that a file that was cut off is still one of its kind.
    const auto kind = recognise(first, std::nullopt);
    if (kind && is_checkpoint(*kind)) {
      auto checkpoint = std::make_unique<CheckpointDescriber>();
      checkpoint_ = checkpoint.get();
      describer_ = std::move(checkpoint);
    } else if (kind) {
      describer_ = describer_of(*kind, first);
    }
  }
  if (!describer_) {
    reader_.skim_like(*this);
    return reader_.push(first);
  }
  if (file_byte_count_) describer_->set_file_byte_count(*file_byte_count_);
  if (shows_all_) describer_->show_all();
  return describer_->push(first);
}

uint64_t InspectingReader::skippable() const {
  if (!skims_) return 0;
  return describer_ ? describer_->skippable() : reader_.skippable();
}

void InspectingReader::skip(uint64_t byte_count) {
  if (describer_) {
    describer_->skip(byte_count);
  } else {
    reader_.skip(byte_count);
  }
}

}  // namespace susurrus

#include "container/inspecting_reader.h"

#include <algorithm>

#include "container/april/april_describer.h"
#include "container/bw2l/bw2l_describer.h"
#include "container/tennis/tennis_describer.h"

namespace susurrus {
namespace {

/// Null for the formats that DetectingReader reads, or names in its error.
std::unique_ptr<FileDescriber> describer_of(ByteSpan first, std::optional<uint64_t> byte_count) {
  const auto kind = recognise(first, byte_count);
  if (!kind) return nullptr;
  if (*kind == FileKind::tennis || (*kind == FileKind::unknown && is_swapped_tennis(first))) {
    return std::make_unique<TennisDescriber>();
  }
  if (*kind == FileKind::april) return std::make_unique<AprilDescriber>();
  if (*kind == FileKind::bw2l) return std::make_unique<Bw2lDescriber>();
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
    SUSURRUS_TRY(choose());
  }
  return describer_ ? describer_->push(chunk) : reader_.push(chunk);
}

Status InspectingReader::finish() {
  if (!is_chosen_) SUSURRUS_TRY(choose());
  if (describer_) return describer_->finish();
  SUSURRUS_TRY(reader_.finish());
  if (missing_files().empty()) sink_.complete();
  return ok_status();
}

Status InspectingReader::choose() {
  is_chosen_ = true;
  const ByteSpan first = ByteSpan(first_bytes_).first(first_byte_count_);
  if (describes_) describer_ = describer_of(first, file_byte_count_);
  if (!describer_) return reader_.push(first);
  if (file_byte_count_) describer_->set_file_byte_count(*file_byte_count_);
  return describer_->push(first);
}

}  // namespace susurrus

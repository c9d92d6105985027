#include "graph/onnx/kept_fields.h"

#include <algorithm>

#include "base/aligned_buffer.h"

namespace susurrus {

Status keep_bytes(ByteSpan bytes, uint64_t offset, std::vector<uint8_t>& kept) {
  const size_t wanted = kept.size() + bytes.size();
  if (wanted > kept.capacity()) {
    const size_t room = std::max(wanted, kept.capacity() + kept.capacity() / 2);
    // What is freed at once is there for the list.
    const auto memory = AlignedBuffer::allocate(room, "network");
    if (!memory) {
      Error error = memory.error();
      error.offset = offset;
      return error;
    }
    kept.reserve(room);
  }
  kept.insert(kept.end(), bytes.begin(), bytes.end());
  return ok_status();
}

/// Where it stands after the field before it in the file, it does so here.
void KeptFields::begin(uint64_t offset) {
  field_begin_ = bytes_.size();
  if (!runs_.empty() && offset - runs_.back().offset == field_begin_ - runs_.back().begin) return;
  runs_.push_back({field_begin_, offset});
}

void KeptFields::leave_out() {
  bytes_.resize(field_begin_);
  if (runs_.back().begin == field_begin_) runs_.pop_back();
}

ProtoReader KeptFields::reader_of_run(size_t index) const {
  const auto [begin, offset] = runs_[index];
  const size_t end = index + 1 < runs_.size() ? runs_[index + 1].begin : bytes_.size();
  return {subject_, ByteSpan(bytes_).subspan(begin, end - begin), offset};
}

Error KeptFields::placed(const Error& error, uint64_t offset) const {
  Error placed = error;
  const bool wants_place =
      error.reason == ErrorReason::limit || error.reason == ErrorReason::duplicate;
  if (wants_place && error.offset == kNoOffset) {
    placed.offset = offset;
    if (error.subject.empty()) placed.subject = subject_;
  }
  return placed;
}

}  // namespace susurrus

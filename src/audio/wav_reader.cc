#include "audio/wav_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "audio/wav_samples.h"

namespace susurrus {
namespace {

constexpr size_t kChunkHeaderBytes = 8;
constexpr size_t kWideSizesBytes = 16;  // of ds64: the sizes of the file and of the data
constexpr uint32_t kUnknownSize = 0xffffffff;

bool is_name(const uint8_t* at, const char (&name)[5]) { return std::memcmp(at, name, 4) == 0; }

}  // namespace

ByteSpan WavReader::take(ByteSpan& input, size_t byte_count) {
  ByteSpan taken = input.first(byte_count);
  input = input.subspan(byte_count);
  position_ += byte_count;
  return taken;
}

/// Moves bytes to gathered_ until there are `byte_count`; false when `input` ends before.
bool WavReader::gather(ByteSpan& input, size_t byte_count) {
  ByteSpan taken = take(input, std::min(input.size(), byte_count - gathered_count_));
  if (!taken.empty()) std::memcpy(gathered_.data() + gathered_count_, taken.data(), taken.size());
  gathered_count_ += taken.size();
  return gathered_count_ == byte_count;
}

uint32_t WavReader::gathered_u32(size_t at) const {
  const uint32_t value = load_le<uint32_t>(gathered_.data() + at);
  return big_endian_ ? __builtin_bswap32(value) : value;
}

void WavReader::expect(Part part, size_t byte_count) {
  part_ = part;
  needed_ = byte_count;
  gathered_count_ = 0;
}

void WavReader::skip(uint64_t byte_count) {
  left_ = byte_count;
  expect(Part::skipped, 0);
}

Status WavReader::take_riff_header() {
  const uint8_t* header = gathered_.data();
  big_endian_ = is_name(header, "RIFX");
  wide_ = is_name(header, "RF64") || is_name(header, "BW64");
  if ((!is_name(header, "RIFF") && !big_endian_ && !wide_) || !is_name(header + 8, "WAVE")) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_audio)
        .at(0)
        .with_subject("WAV header")
        .with_expected("RIFF, RIFX, RF64 or BW64, and WAVE")
        .with_got("other bytes");
  }
  expect(Part::chunk_header, kChunkHeaderBytes);
  return ok_status();
}

Status WavReader::take_chunk_header() {
  const uint8_t* name = gathered_.data();
  const uint32_t size = gathered_u32(4);
  chunk_size_ = size;
  if (is_name(name, "data")) {
    if (!has_format_) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_audio)
          .at(position_ - kChunkHeaderBytes)
          .with_subject("WAV data chunk")
          .with_expected("a fmt chunk before it");
    }
    const bool wide = wide_ && size == kUnknownSize;
    left_ = wide ? wide_data_size_ : size;
    data_length_known_ = left_ != 0 && left_ != std::numeric_limits<uint64_t>::max() &&
                         (wide || size != kUnknownSize);
    if (!data_length_known_) left_ = std::numeric_limits<uint64_t>::max();
    expect(Part::data, 0);
  } else if (is_name(name, "fmt ") && !has_format_) {
    expect(Part::format, std::min<size_t>(size, kWavFormatBytes));
  } else if (is_name(name, "ds64") && wide_ && size >= kWideSizesBytes) {
    expect(Part::wide_sizes, kWideSizesBytes);
  } else {
    skip(uint64_t{size} + (size & 1));
  }
  return ok_status();
}

Status WavReader::take_format() {
  const uint64_t offset = position_ - gathered_count_;
  SUSURRUS_ASSIGN_OR_RETURN(
      format_, parse_wav_format(ByteSpan(gathered_.data(), gathered_count_), offset, big_endian_));
  has_format_ = true;
  skip(chunk_size_ - gathered_count_ + (chunk_size_ & 1));
  return ok_status();
}

void WavReader::take_wide_sizes() {
  wide_data_size_ = load_le<uint64_t>(gathered_.data() + 8);
  skip(chunk_size_ - kWideSizesBytes + (chunk_size_ & 1));
}

size_t WavReader::take_data(ByteSpan& input, std::span<float> out) {
  const size_t sample_bytes = format_.bytes_per_sample;
  ByteSpan data = input.first(static_cast<size_t>(std::min<uint64_t>(input.size(), left_)));
  const size_t available = data.size();
  size_t written = 0;
  if (gathered_count_ == 0) {
    written = std::min(available / sample_bytes, out.size());
    decode_wav_samples(format_, take(data, written * sample_bytes).data(), written, out.data());
  }
  // A sample that this piece begins, or that an earlier one began.
  if (written < out.size() && gather(data, sample_bytes)) {
    decode_wav_samples(format_, gathered_.data(), 1, out.data() + written);
    ++written;
    gathered_count_ = 0;
  }
  const size_t taken = available - data.size();
  input = input.subspan(taken);
  if (data_length_known_) {
    left_ -= taken;
    if (left_ == 0) part_ = Part::rest;
  }
  return written;
}

Result<size_t> WavReader::read(ByteSpan& input, std::span<float> out) {
  SUSURRUS_CHECK(!out.empty());
  while (!input.empty()) {
    switch (part_) {
      case Part::riff_header:
        if (gather(input, needed_)) SUSURRUS_RETURN_IF_ERROR(take_riff_header());
        break;
      case Part::chunk_header:
        if (gather(input, needed_)) SUSURRUS_RETURN_IF_ERROR(take_chunk_header());
        break;
      case Part::format:
        if (gather(input, needed_)) SUSURRUS_RETURN_IF_ERROR(take_format());
        break;
      case Part::wide_sizes:
        if (gather(input, needed_)) take_wide_sizes();
        break;
      case Part::skipped:
        left_ -= take(input, static_cast<size_t>(std::min<uint64_t>(left_, input.size()))).size();
        if (left_ == 0) expect(Part::chunk_header, kChunkHeaderBytes);
        break;
      case Part::data: return take_data(input, out);
      case Part::rest: take(input, input.size()); break;
    }
  }
  return size_t{0};
}

Status WavReader::finish() const {
  if (part_ == Part::data || part_ == Part::rest) return ok_status();
  return make_error(ErrorCode::truncated_input, ErrorReason::bad_audio)
      .at(position_)
      .with_subject(has_format_ ? "WAV data chunk" : "WAV fmt chunk")
      .with_expected("a complete header")
      .with_got("the end of the file");
}

bool WavReader::is_truncated() const {
  return gathered_count_ > 0 || (part_ == Part::data && data_length_known_);
}

}  // namespace susurrus

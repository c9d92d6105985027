#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "audio/wav_format.h"
#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Reads a WAV file (RIFF, RIFX, RF64, BW64) from pieces of any size, keeping less than a hundred bytes of it.
/// A data chunk of size 0 or FFFFFFFF without RF64's 64-bit size is a stream of unknown length: it ends with the file.
class WavReader {
 public:
  /// Takes bytes off the front of `input` and writes interleaved samples to `out`; returns their number.
  /// Call again while `input` is not empty.
  Result<size_t> read(ByteSpan& input, std::span<float> out);

  /// The file ends here. An error when the header is not complete; samples that are missing are not.
  Status finish() const;

  /// Whether the format is known, which precedes the first sample.
  bool has_format() const { return has_format_; }
  const WavFormat& format() const { return format_; }
  /// After finish(): the data chunk was shorter than it said, or ended within a sample.
  bool is_truncated() const;

 private:
  enum class Part : uint8_t { riff_header, chunk_header, format, wide_sizes, skipped, data, rest };

  ByteSpan take(ByteSpan& input, size_t byte_count);
  bool gather(ByteSpan& input, size_t byte_count);
  uint32_t gathered_u32(size_t at) const;
  Status take_riff_header();
  Status take_chunk_header();
  Status take_format();
  void take_wide_sizes();
  void expect(Part part, size_t byte_count);
  void skip(uint64_t byte_count);
  size_t take_data(ByteSpan& input, std::span<float> out);

  Part part_ = Part::riff_header;
  bool big_endian_ = false;
  bool wide_ = false;  // RF64: sizes may stand in the ds64 chunk
  bool has_format_ = false;
  bool data_length_known_ = false;
  WavFormat format_;
  uint64_t position_ = 0;        // in the file, of the next byte
  uint64_t wide_data_size_ = 0;  // from ds64; 0 for none
  uint64_t left_ = 0;            // of the part skipped or of the data
  uint64_t chunk_size_ = 0;
  std::array<uint8_t, kWavFormatBytes>
      gathered_{};  // of a header, or of a sample that a piece ended in
  size_t gathered_count_ = 0;
  size_t needed_ = 12;  // bytes of gathered_
};

}  // namespace susurrus

#include "stream/lz4_block.h"

namespace susurrus {
namespace {

constexpr size_t kLongRun = 15;  // then bytes follow that add to the length
constexpr size_t kLeastMatch = 4;
constexpr size_t kOffsetBytes = 2;

/// While so much is left on both sides, copies may run past what they are for.
constexpr size_t kFastMargin = 64;
constexpr size_t kShortestFastOffset = 8;

template <typename Vector>
void copy_one(uint8_t* to, const uint8_t* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  std::memcpy(to, &value, sizeof value);
}
using Sixteen [[gnu::vector_size(16)]] = uint8_t;

/// Reads a length's further bytes; false when they run into the end.
bool read_length(const uint8_t*& in, const uint8_t* in_end, size_t& length) {
  uint8_t byte = 255;
  while (byte == 255) {
    if (in == in_end) return false;
    byte = *in++;
    length += byte;
  }
  return true;
}

/// Places may overlap: what was copied first is copied again. `has_margin`: there is room for a Sixteen behind.
void copy_match(uint8_t* to, size_t offset, size_t length, bool has_margin) {
  const uint8_t* from = to - offset;
  if (offset >= sizeof(Sixteen) && has_margin) {
    for (size_t i = 0; i < length; i += sizeof(Sixteen)) copy_one<Sixteen>(to + i, from + i);
  } else if (offset == 1) {
    std::memset(to, *from, length);
  } else {
    for (size_t i = 0; i < length; ++i) to[i] = from[i];
  }
}

}  // namespace

Lz4Decoded decode_lz4_block(ByteSpan block, MutableByteSpan raw) {
  constexpr Lz4Decoded kMalformed = {0, Lz4Fault::malformed};
  const uint8_t* in = block.data();
  const uint8_t* const in_end = in + block.size();
  uint8_t* const begin = raw.data();
  uint8_t* out = begin;
  uint8_t* const out_end = begin + raw.size();
  while (in != in_end) {
    const uint8_t token = *in++;
    size_t literals = token >> 4;
    size_t match = token & 15u;
    const bool has_margin = static_cast<size_t>(in_end - in) >= kFastMargin &&
                            static_cast<size_t>(out_end - out) >= kFastMargin;
    if (has_margin && literals != kLongRun) [[likely]] {
      copy_one<Sixteen>(out, in);
      out += literals;
      in += literals;
      const size_t offset = load_le<uint16_t>(in);
      if (match != kLongRun && offset >= kShortestFastOffset &&
          offset <= static_cast<size_t>(out - begin)) [[likely]] {
        in += kOffsetBytes;
        const uint8_t* from = out - offset;
        copy_one<uint64_t>(out, from);
        copy_one<uint64_t>(out + 8, from + 8);
        copy_one<uint16_t>(out + 16, from + 16);
        out += match + kLeastMatch;
        continue;
      }
    } else {
      if (literals == kLongRun && !read_length(in, in_end, literals)) return kMalformed;
      if (literals > static_cast<size_t>(in_end - in) ||
          literals > static_cast<size_t>(out_end - out)) {
        return kMalformed;
      }
      std::memcpy(out, in, literals);
      in += literals;
      out += literals;
      if (in == in_end) return {static_cast<size_t>(out - begin)};
      if (static_cast<size_t>(in_end - in) < kOffsetBytes) return kMalformed;
    }
    const size_t offset = load_le<uint16_t>(in);
    in += kOffsetBytes;
    if (match == kLongRun && !read_length(in, in_end, match)) return kMalformed;
    match += kLeastMatch;
    if (offset == 0) return {0, Lz4Fault::zero_offset};
    const auto out_left = static_cast<size_t>(out_end - out);
    if (offset > static_cast<size_t>(out - begin) || match > out_left) return kMalformed;
    copy_match(out, offset, match, out_left - match >= sizeof(Sixteen));
    out += match;
  }
  return kMalformed;
}

}  // namespace susurrus

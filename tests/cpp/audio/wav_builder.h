// WAV files made in memory, the right and the wrong ones.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace susurrus::testing {

using Bytes = std::vector<uint8_t>;

struct WavBuilder {
  uint16_t tag = 1;
  uint16_t channels = 1;
  uint32_t rate = 16000;
  uint16_t bits = 16;
  std::optional<uint16_t> frame_bytes;      // else from channels and bits
  std::optional<uint32_t> extensible_mask;  // the tag moves into the GUID
  bool big_endian = false;
  std::string_view magic = "RIFF";
  std::optional<uint32_t> riff_size;
  std::optional<uint32_t> data_size;
  Bytes before_format;  // whole chunks
  Bytes before_data;
  Bytes after_data;
  Bytes format_tail;  // beyond the 16 bytes
  Bytes data;

  void u16(Bytes& out, uint32_t value) const { number(out, value, 2); }
  void u32(Bytes& out, uint32_t value) const { number(out, value, 4); }
  static void text(Bytes& out, std::string_view value) {
    out.insert(out.end(), value.begin(), value.end());
  }
  static void append(Bytes& out, const Bytes& more) {
    out.insert(out.end(), more.begin(), more.end());
  }

  /// A chunk with its header, and a pad byte after an odd body.
  Bytes chunk(std::string_view name, const Bytes& body) const {
    Bytes out;
    text(out, name);
    u32(out, static_cast<uint32_t>(body.size()));
    append(out, body);
    if (body.size() % 2 != 0) out.push_back(0xee);
    return out;
  }

  Bytes format() const {
    Bytes out;
    u16(out, extensible_mask ? 0xfffeu : tag);
    u16(out, channels);
    u32(out, rate);
    const uint32_t frame = frame_bytes.value_or(static_cast<uint16_t>(channels * ((bits + 7) / 8)));
    u32(out, rate * frame);
    u16(out, frame);
    u16(out, bits);
    if (extensible_mask) {
      u16(out, 22);
      u16(out, bits);
      u32(out, *extensible_mask);
      u16(out, tag);
      append(out, {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71});
    }
    append(out, format_tail);
    return out;
  }

  Bytes build() const {
    Bytes body;
    text(body, "WAVE");
    append(body, before_format);
    append(body, chunk("fmt ", format()));
    append(body, before_data);
    text(body, "data");
    u32(body, data_size.value_or(static_cast<uint32_t>(data.size())));
    append(body, data);
    if (!after_data.empty() && data.size() % 2 != 0) body.push_back(0xee);
    append(body, after_data);
    Bytes file;
    text(file, magic);
    u32(file, riff_size.value_or(static_cast<uint32_t>(body.size())));
    append(file, body);
    return file;
  }

 private:
  void number(Bytes& out, uint64_t value, int byte_count) const {
    for (int i = 0; i < byte_count; ++i) {
      const int shift = 8 * (big_endian ? byte_count - 1 - i : i);
      out.push_back(static_cast<uint8_t>(value >> shift));
    }
  }
};

/// 16-bit little-endian samples.
inline Bytes s16_bytes(const std::vector<int>& samples) {
  Bytes out;
  for (int sample : samples) {
    out.push_back(static_cast<uint8_t>(sample));
    out.push_back(static_cast<uint8_t>(sample >> 8));
  }
  return out;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

}  // namespace susurrus::testing

#pragma once
#include <cstdint>
#include <string>

namespace susurrus {

/// Header flags of APR2 (apr.md §2.3).
namespace apr2_flags {
inline constexpr uint32_t kCompressed = 0x01;
inline constexpr uint32_t kAligned64 = 0x02;
inline constexpr uint32_t kAligned32 = 0x04;
inline constexpr uint32_t kSharded = 0x08;
inline constexpr uint32_t kEncrypted = 0x10;
inline constexpr uint32_t kSigned = 0x20;
inline constexpr uint32_t kQuantized = 0x40;
inline constexpr uint32_t kStreaming = 0x80;
inline constexpr uint32_t kKnown = 0xFF;
}  // namespace apr2_flags

/// Space-separated names of the known flags that are set: "ALIGNED_64 STREAMING".
std::string apr2_flag_names(uint32_t flags);

}  // namespace susurrus

#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace susurrus {

inline constexpr std::string_view kBw2lMagic = "BW2L";
inline constexpr uint8_t kBw2lVersion = 1;

/// Element types of arrays.
enum class Bw2lDtype : uint8_t { fp64, fp32, fp16, i64, i32, i16, i8 };
struct Bw2lDtypeTraits {
  std::string_view name;
  uint32_t byte_count;
  bool is_integer;
};
const Bw2lDtypeTraits& bw2l_dtype_traits(Bw2lDtype dtype);
std::optional<Bw2lDtype> find_bw2l_dtype(std::string_view name);

struct Bw2lArray {
  Bw2lDtype dtype = Bw2lDtype::fp32;
  /// Elements; no dimensions are stored.
  uint64_t count = 0;
  /// File offsets of the element count and of the first element.
  uint64_t count_offset = 0;
  uint64_t file_offset = 0;

  uint64_t byte_count() const { return count * bw2l_dtype_traits(dtype).byte_count; }
};

struct Bw2lLayer {
  /// A line of the architecture; of a residual block its lines, joined by '\n'.
  std::string arch;
  /// Integer arrays stand for scale · (q − offset).
  float scale = 1;
  int64_t offset = 0;
  std::vector<Bw2lArray> arrays;
};

struct Bw2lPair {
  std::string key;
  std::string value;
  /// The value's file offset.
  uint64_t value_offset = 0;
};

enum class Bw2lKind : uint8_t { utf8, keyval, data, array, layers, other };
Bw2lKind bw2l_kind(std::string_view type);

struct Bw2lSection {
  std::string name;
  /// As stored; a type that BW2L does not define is kept.
  std::string type;
  std::string description;
  /// File offsets of the section and of its data.
  uint64_t file_offset = 0;
  uint64_t data_offset = 0;
  /// The size of the data.
  uint64_t byte_count = 0;

  // By kind:
  std::vector<Bw2lPair> pairs;
  Bw2lArray array;
  std::vector<Bw2lLayer> layers;
  /// Kept of "arch" and "tokens" only.
  std::string text;

  Bw2lKind kind() const { return bw2l_kind(type); }
};

/// A BW2L file without the bytes of its texts, data and arrays.
struct Bw2lModel {
  std::string name;
  /// The file offset of the section count.
  uint64_t section_count_offset = 0;
  /// In file order. If two sections share a name, the last one counts.
  std::vector<Bw2lSection> sections;

  /// Null when there is none.
  const Bw2lSection* find(std::string_view section_name) const;
};

/// The last pair with this key; null when there is none.
const Bw2lPair* find_pair(const std::vector<Bw2lPair>& pairs, std::string_view key);

}  // namespace susurrus

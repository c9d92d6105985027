#include "graph/bw2l/bw2l_reals.h"

#include <type_traits>

#include "graph/element_type.h"

namespace susurrus {
namespace {

template <typename T>
void read(const uint8_t* from, std::span<float> to, double scale, double offset) {
  for (size_t i = 0; i < to.size(); ++i) {
    const T value = load_le<T>(from + i * sizeof(T));
    if constexpr (std::is_integral_v<T>) {
      to[i] = static_cast<float>(scale * (static_cast<double>(value) - offset));
    } else {
      to[i] = static_cast<float>(value);
    }
  }
}

}  // namespace

bool read_bw2l_reals(const Bw2lArray& array, ByteSpan file, float scale, int64_t offset,
                     std::span<float> to) {
  if (array.file_offset > file.size() || array.byte_count() > file.size() - array.file_offset) {
    return false;
  }
  const uint8_t* from = file.data() + array.file_offset;
  const auto as = [&](auto tag) {
    read<typename decltype(tag)::type>(from, to, static_cast<double>(scale),
                                       static_cast<double>(offset));
  };
  switch (array.dtype) {
    case Bw2lDtype::fp64: as(ElementTag<double>{}); break;
    case Bw2lDtype::fp32: as(ElementTag<float>{}); break;
    case Bw2lDtype::fp16: as(ElementTag<Half>{}); break;
    case Bw2lDtype::i64: as(ElementTag<int64_t>{}); break;
    case Bw2lDtype::i32: as(ElementTag<int32_t>{}); break;
    case Bw2lDtype::i16: as(ElementTag<int16_t>{}); break;
    case Bw2lDtype::i8: as(ElementTag<int8_t>{}); break;
  }
  return true;
}

}  // namespace susurrus

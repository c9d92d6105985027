#pragma once
#include <span>

#include "base/bytes.h"
#include "container/bw2l/bw2l_model.h"

namespace susurrus {

/// An array's elements as real numbers: integers as scale · (q − offset), others as they are. `file` is the whole file; false where
/// it does not hold the array. `to` has room for the array's count.
bool read_bw2l_reals(const Bw2lArray& array, ByteSpan file, float scale, int64_t offset,
                     std::span<float> to);

}  // namespace susurrus

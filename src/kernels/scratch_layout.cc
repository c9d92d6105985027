#include "kernels/scratch_layout.h"

#include "kernels/int8_kv.h"
#include "kernels/kernel_table.h"

namespace susurrus {

size_t linear_scratch_floats(size_t k) {
  return std::max(LinearScratch::floats(k), Int8LinearScratch::floats(k));
}

size_t attention_scratch_floats(size_t key_rows, size_t head_size) {
  return AttentionScratch(key_rows, head_size).floats;
}

size_t int8_attention_scratch_floats(size_t key_rows, size_t head_size) {
  const Int8KvLayout layout(key_rows, head_size);
  return Int8AttentionScratch(layout.width, layout.key_blocks, Int8KvLayout::kKeys).floats;
}

}  // namespace susurrus

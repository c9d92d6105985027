#include "kernels/scratch_layout.h"

#include "kernels/byte_kv.h"
#include "kernels/kernel_table.h"

namespace susurrus {

size_t linear_scratch_floats(size_t k) {
  return std::max(LinearScratch::floats(k), ByteLinearScratch::floats(k));
}

size_t attention_scratch_floats(size_t key_rows, size_t head_size) {
  return AttentionScratch(key_rows, head_size).floats;
}

size_t byte_attention_scratch_floats(size_t key_rows, size_t head_size) {
  const ByteKvLayout layout(key_rows, head_size);
  return ByteAttentionScratch(layout.width, layout.key_blocks, ByteKvLayout::kKeys).floats;
}

}  // namespace susurrus

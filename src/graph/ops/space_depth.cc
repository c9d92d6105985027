// [N, C, H, W]: blocks of channels become blocks of cells, or the other way round.
#include <cstring>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum BlockAttribute : size_t { kBlock, kChannelsFirst };

template <bool ToSpace>
Result<Shape> blocked_shape(const Shape& x, const Attributes& attributes) {
  const int64_t block = attributes.integer(kBlock);
  if (x.rank() != 4) return wrong_input(0, "4 dimensions", shape_text(x).view());
  if (block < 1 || block > 1 << 15) return wrong_attribute("block", "1 to 32768");
  const auto size = static_cast<uint64_t>(block);
  if (ToSpace ? x[1] % (size * size) != 0 : x[2] % size != 0 || x[3] % size != 0) {
    return wrong_attribute("block", "a divisor of the dimensions");
  }
  if (ToSpace) return Shape{x[0], x[1] / (size * size), x[2] * size, x[3] * size};
  return Shape{x[0], x[1] * size * size, x[2] / size, x[3] / size};
}

template <bool ToSpace>
Status infer_blocks(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape,
                            blocked_shape<ToSpace>(x.shape, inference.attributes));
  inference.outputs[0] = {x.type, shape};
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

template <bool ToSpace>
Status run_blocks(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto block = static_cast<size_t>(call.attributes.integer(kBlock));
  const bool channels_first = call.attributes.flag(kChannelsFirst);
  // Both ways: `deep` has the channels, `wide` the cells.
  const Shape& deep = ToSpace ? x.shape : y.shape;
  const Shape& wide = ToSpace ? y.shape : x.shape;
  const auto channels = static_cast<size_t>(wide[1]);
  const auto height = static_cast<size_t>(wide[2]);
  const auto width = static_cast<size_t>(wide[3]);
  const auto deep_height = static_cast<size_t>(deep[2]);
  const auto deep_width = static_cast<size_t>(deep[3]);
  const size_t size = element_byte_count(x.type);
  // Places of the wide one, in order; the other place follows.
  const auto range = elements_of(y.count(), begin, end);
  for (size_t at = range.begin; at < range.end; ++at) {
    const size_t column = at % width;
    const size_t row = at / width % height;
    const size_t channel = at / width / height % channels;
    const size_t n = at / width / height / channels;
    const size_t cell = row % block * block + column % block;
    const size_t own = channels_first ? channel * block * block + cell : cell * channels + channel;
    const size_t other =
        ((n * channels * block * block + own) * deep_height + row / block) * deep_width +
        column / block;
    std::memcpy(static_cast<uint8_t*>(y.data) + (ToSpace ? at : other) * size,
                static_cast<const uint8_t*>(x.data) + (ToSpace ? other : at) * size, size);
  }
  return ok_status();
}

constexpr AttributeSpec kBlockAttributes[] = {{"block", AttributeKind::integer, true},
                                              {"channels_first", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "depth_to_space",
     .attributes = kBlockAttributes,
     .infer = infer_blocks<true>,
     .run = run_blocks<true>},
    {.name = "space_to_depth",
     .attributes = kBlockAttributes,
     .infer = infer_blocks<false>,
     .run = run_blocks<false>},
};

}  // namespace

std::span<const Operator> space_depth_operators() { return kOperators; }

}  // namespace susurrus

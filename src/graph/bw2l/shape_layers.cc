// Layers that move elements: V, RO, PD.
#include <algorithm>

#include "base/checked_math.h"
#include "graph/bw2l/bw2l_layers.h"

namespace susurrus {
namespace {

constexpr int64_t kOpen = -1;

/// Elements of one index of the last dimension that is not known, or of all. Dimensions come from files: nullopt if too large.
std::optional<uint64_t> known_product(const std::array<uint64_t, 4>& dims, uint32_t end = 4) {
  std::optional<uint64_t> product = 1;
  for (uint32_t i = 0; i < end && product; ++i) {
    if (dims[i] != kAnyDim) product = checked_multiply(*product, dims[i]);
  }
  return product;
}

}  // namespace

/// Elements keep their order in memory.
Result<Bw2lActivation> compile_view(Bw2lLine& line, Bw2lActivation x) {
  std::array<int64_t, 4> wanted{};
  std::array<uint64_t, 4> dims{};
  std::optional<uint32_t> open;
  std::optional<uint32_t> time;
  for (uint32_t i = 0; i < 4; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(wanted[i], line.integer(i + 1, -1));
    if (wanted[i] == kOpen && open) return line.wrong("-1 once");
    if (wanted[i] == kOpen) open = i;
    dims[i] = wanted[i] == kOpen ? 1
              : wanted[i] == 0   ? x.dims[i]
                                 : static_cast<uint64_t>(wanted[i]);
    if (dims[i] == kAnyDim) time = i;
  }
  const auto in = known_product(x.dims);
  const auto out = known_product(dims);
  if (!in || !out) return line.wrong("dimensions that can be counted");
  const bool has_any = known_product(x.dims) && std::ranges::count(x.dims, kAnyDim) > 0;
  const bool keeps_any = has_any == time.has_value();
  if (keeps_any && open && (*out == 0 || *in % *out != 0)) {
    return line.wrong_size("a divisor of", *in, *out);
  }
  if (keeps_any && !open && *in != *out) return line.wrong_size("elements:", *in, *out);
  if (keeps_any && open) dims[*open] = *in / *out;
  if (!keeps_any && open) {
    dims[*open] = kAnyDim;
    time = open;
  }
  Bw2lTiming& timing = x.timing;
  if (has_any) {
    const uint32_t now = time.value_or(timing.dim);
    const bool is_whole = known_product(x.dims, timing.dim) == known_product(dims, now);
    timing.sees_all = timing.sees_all || !is_whole || !time || (!keeps_any && *in != *out);
    if (!keeps_any && time) timing.stride *= static_cast<double>(*out) / static_cast<double>(*in);
    timing.dim = now;
  }
  x.dims = dims;
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.reshape(x.id, {wanted[3], wanted[2], wanted[1], wanted[0]}));
  return x;
}

Result<Bw2lActivation> reorder(Bw2lLine& line, Bw2lActivation x,
                               const std::array<uint32_t, 4>& order) {
  const auto axis = [&](uint32_t dim) { return axis_of_dim(order[dim]); };
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.transpose(x.id, {axis(3), axis(2), axis(1), axis(0)}));
  const Bw2lActivation before = x;
  for (uint32_t i = 0; i < 4; ++i) {
    x.dims[i] = before.dims[order[i]];
    if (order[i] == before.timing.dim) x.timing.dim = i;
  }
  return x;
}

Result<Bw2lActivation> compile_reorder(Bw2lLine& line, Bw2lActivation x) {
  std::array<uint32_t, 4> order{};
  uint32_t seen = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(order[i], line.dim(i + 1));
    seen |= 1u << order[i];
  }
  if (seen != 15) return line.wrong("each of 0 to 3 once");
  return reorder(line, x, order);
}

Result<Bw2lActivation> compile_padding(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const double value, line.number(1, 0));
  std::vector<int64_t> pads(8);
  for (uint32_t dim = 0; 2 + 2 * dim < line.word_count() + 1; ++dim) {
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t before, line.integer(2 + 2 * dim, 0));
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t after, line.integer(3 + 2 * dim, 0));
    const auto axis = static_cast<size_t>(axis_of_dim(dim));
    pads[axis] = before;
    pads[axis + 4] = after;
    if (x.dims[dim] != kAnyDim) x.dims[dim] += static_cast<uint64_t>(before + after);
    if (dim == x.timing.dim) {
      x.timing.first -= x.timing.stride * static_cast<double>(before);
      x.timing.last -= x.timing.stride * static_cast<double>(before);
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId filling, line.constant(static_cast<float>(value)));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("pad", {x.id, filling}, {{"pads", pads}}));
  return x;
}

Result<Bw2lActivation> compile_nothing(Bw2lLine&, Bw2lActivation x) { return x; }

}  // namespace susurrus

// Layers that work on each element, or on each row of a dimension: ELU, R, R6, LG, HT, T, PR, SH, GLU, LSM.
#include "graph/bw2l/bw2l_layers.h"

namespace susurrus {

Result<Bw2lActivation> apply(Bw2lLine& line, std::string_view op, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add(op, {x.id}));
  return x;
}

Result<Bw2lActivation> compile_activation(Bw2lLine& line, Bw2lActivation x) {
  const std::string_view code = line.code();
  if (code == "R") return apply(line, "relu", x);
  if (code == "T") return apply(line, "tanh", x);
  if (code == "LG") return apply(line, "log", x);
  if (code == "ELU") return apply(line, "elu", x);
  const bool is_capped = code == "R6";
  SUSURRUS_ASSIGN_OR_RETURN(
      x.id,
      line.add("clip", {x.id}, {{"min", is_capped ? 0.0 : -1.0}, {"max", is_capped ? 6.0 : 1.0}}));
  return x;
}

/// PR [n] [init]: n is 1, or the size of dimension 0 or, after a convolution, of dimension 2.
Result<Bw2lActivation> compile_prelu(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t count, line.integer(1, 1, 1));
  const auto size = static_cast<uint64_t>(count);
  Shape shape{size};
  if (size > 1 && x.dims[0] != size) {
    if (x.dims[2] != size) return line.wrong("1, or the size of dimension 0 or 2");
    shape = {size, 1, 1};
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId slopes, line.weight(0, shape));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("prelu", {x.id, slopes}));
  return x;
}

Result<Bw2lActivation> swish(Bw2lLine& line, Bw2lActivation x, double beta) {
  ValueId scaled = x.id;
  if (beta != 1) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId factor, line.constant(static_cast<float>(beta)));
    SUSURRUS_ASSIGN_OR_RETURN(scaled, line.add("multiply", {x.id, factor}));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId gate, line.add("sigmoid", {scaled}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("multiply", {x.id, gate}));
  return x;
}

Result<Bw2lActivation> compile_swish(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const double beta, line.number(1, 1));
  return swish(line, x, beta);
}

Result<Bw2lActivation> gate(Bw2lLine& line, Bw2lActivation x, uint32_t dim) {
  uint64_t& size = x.dims[dim];
  if (size != kAnyDim && size % 2 != 0) {
    return line.wrong("an even size of dimension " + std::to_string(dim)).with_got(size);
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId half,
                            line.add("split", {x.id}, {{"axis", axis_of_dim(dim)}}, 2));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId open, line.add("sigmoid", {half + 1}));
  // Halves of an odd dimension differ.
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId even, line.same_shape(open, half));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("multiply", {half, even}));
  if (size != kAnyDim) size /= 2;
  if (dim == x.timing.dim) {
    x.timing.stride *= 2;
    x.timing.sees_all = true;
  }
  return x;
}

Result<Bw2lActivation> compile_gated_linear(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, line.dim(1));
  return gate(line, x, dim);
}

Result<Bw2lActivation> compile_log_softmax(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, line.dim(1));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("log_softmax", {x.id}, {{"axis", axis_of_dim(dim)}}));
  x.timing.sees_all = x.timing.sees_all || dim == x.timing.dim;
  return x;
}

}  // namespace susurrus

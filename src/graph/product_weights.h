#pragma once
#include "graph/graph.h"
#include "graph/matrix_writer.h"

namespace susurrus {

/// Brings the constant matrices of products into the form in which the kernels read them, one after the other; constants that nothing
/// reads any more give back their memory. out_of_memory.
Status prepare_product_weights(Graph& graph, const WeightOptions& options);

}  // namespace susurrus

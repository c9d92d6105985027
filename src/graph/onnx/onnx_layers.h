#pragma once
#include "graph/onnx/onnx_translation.h"

namespace susurrus::onnx {

// Translations of operators that take more than a primitive with the same inputs.

// onnx_windows.cc
Status convolution(OnnxTranslation& to);
Status transposed_convolution(OnnxTranslation& to);
Status max_pool(OnnxTranslation& to);
Status average_pool(OnnxTranslation& to);
Status resize(OnnxTranslation& to);
Status upsample(OnnxTranslation& to);
Status depth_to_space(OnnxTranslation& to);
Status space_to_depth(OnnxTranslation& to);

// onnx_layers.cc
Status batch_norm(OnnxTranslation& to);
Status instance_norm(OnnxTranslation& to);
Status gru(OnnxTranslation& to);
Status gelu(OnnxTranslation& to);
Status gather_nd(OnnxTranslation& to);
Status scatter_nd(OnnxTranslation& to);
Status top(OnnxTranslation& to);
Status running_sum(OnnxTranslation& to);
Status one_hot(OnnxTranslation& to);
Status tile(OnnxTranslation& to);
Status quantize(OnnxTranslation& to);
Status dequantize(OnnxTranslation& to);
Status matmul_integer(OnnxTranslation& to);
Status convolution_integer(OnnxTranslation& to);

}  // namespace susurrus::onnx

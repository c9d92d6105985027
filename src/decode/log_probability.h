#pragma once
#include <cstdint>
#include <span>

namespace susurrus {

/// log(sum(exp(x))) in f32 exponentials added up in f64; -inf for nothing but -inf, and for no values.
double log_sum_exp(std::span<const float> logits);

/// Of softmax(logits): the probability of one index.
float softmax_probability(std::span<const float> logits, uint32_t index);

/// The first index of the largest value. `logits` must not be empty.
uint32_t argmax(std::span<const float> logits);

}  // namespace susurrus

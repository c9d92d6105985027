// The part of Bw2lReader that reads what stands in sections: pairs, arrays, layers.
#include <cmath>

#include "base/utf8.h"
#include "container/bw2l/bw2l_architecture.h"
#include "container/bw2l/bw2l_errors.h"
#include "container/bw2l/bw2l_reader.h"

namespace susurrus {

using namespace bw2l;

namespace {

// The fewest bytes that one can have.
constexpr uint64_t kLeastLayer = 28;
constexpr uint64_t kLeastArray = 11;

// Limits for a whole file: far beyond real files, yet little memory.
constexpr uint64_t kMaxLayers = 1 << 14;
constexpr uint64_t kMaxArrays = 1 << 15;
constexpr uint64_t kMaxPairs = 1 << 16;

}  // namespace

// ---- Pairs

Status Bw2lReader::next_pair() {
  if (room() == 0) return end_section();
  if (pairs_read_ == kMaxPairs) {
    return beyond_limit(parser_.position(), section().name, kMaxPairs);
  }
  return expect_in_section(1, parser_.position(), "key", &Bw2lReader::on_key_length);
}

Status Bw2lReader::on_key_length(ByteSpan bytes) {
  const uint64_t at = parser_.position() - 1;
  SUSURRUS_RETURN_IF_ERROR(expect_in_section(bytes[0], at, "key", &Bw2lReader::on_key));
  return count_text(bytes[0], at, section().name);
}

Status Bw2lReader::on_key(ByteSpan bytes) {
  section().pairs.emplace_back().key = as_text(bytes);
  return expect_in_section(8, parser_.position(), "value", &Bw2lReader::on_value_length);
}

Status Bw2lReader::on_value_length(ByteSpan bytes) {
  const uint64_t length = load_le<uint64_t>(bytes.data());
  const uint64_t at = parser_.position() - 8;
  SUSURRUS_RETURN_IF_ERROR(expect_in_section(length, at, "value", &Bw2lReader::on_value));
  return count_text(length, at, section().name);
}

Status Bw2lReader::on_value(ByteSpan bytes) {
  Bw2lPair& pair = section().pairs.back();
  pair.value = as_text(bytes);
  pair.value_offset = parser_.position() - bytes.size();
  ++pairs_read_;
  return next_pair();
}

// ---- Arrays

Bw2lArray& Bw2lReader::array() {
  Bw2lSection& now = section();
  return now.kind() == Bw2lKind::array ? now.array : now.layers.back().arrays.back();
}

Status Bw2lReader::begin_array() {
  if (section().kind() == Bw2lKind::layers) {
    if (arrays_read_ == kMaxArrays) {
      return beyond_limit(parser_.position(), section().name, kMaxArrays);
    }
    ++arrays_read_;
    section().layers.back().arrays.emplace_back();
  }
  return expect_in_section(1, parser_.position(), "type", &Bw2lReader::on_dtype_length);
}

Status Bw2lReader::on_dtype_length(ByteSpan bytes) {
  return expect_in_section(bytes[0], parser_.position() - 1, "type", &Bw2lReader::on_dtype);
}

Status Bw2lReader::on_dtype(ByteSpan bytes) {
  const auto dtype = find_bw2l_dtype(as_text(bytes));
  if (!dtype) {
    return malformed(ErrorReason::unsupported_dtype, parser_.position() - bytes.size() - 1,
                     subject("type"))
        .with_expected("fp64, fp32, fp16, i64, i32, i16 or i8")
        .with_got(as_text(bytes));
  }
  array().dtype = *dtype;
  const bool is_layer = section().kind() == Bw2lKind::layers;
  if (is_layer && bw2l_dtype_traits(*dtype).is_integer && section().layers.back().scale == 0) {
    return malformed(ErrorReason::bad_scale, scale_at_, subject("scale"))
        .with_expected("a scale for integers")
        .with_got("0");
  }
  return expect_in_section(8, parser_.position(), "count", &Bw2lReader::on_element_count);
}

Status Bw2lReader::on_element_count(ByteSpan bytes) {
  Bw2lArray& now = array();
  now.count = load_le<uint64_t>(bytes.data());
  now.count_offset = parser_.position() - 8;
  now.file_offset = parser_.position();
  const uint64_t most = room() / bw2l_dtype_traits(now.dtype).byte_count;
  if (now.count > most) {
    return malformed(ErrorReason::bounds, now.count_offset, subject("count"))
        .with_expected("at most " + std::to_string(most))
        .with_got(now.count);
  }
  if (section().kind() == Bw2lKind::layers) {
    const Bw2lLayer& layer = section().layers.back();
    const size_t at = layer.arrays.size() - 1;
    const uint64_t wanted = at < element_counts_.size() ? element_counts_[at] : 0;
    if (wanted != 0 && wanted != now.count) {
      return malformed(ErrorReason::size_mismatch, now.count_offset, subject("count"))
          .with_expected(std::to_string(wanted) + " elements for " + layer.arch)
          .with_got(now.count);
    }
  }
  parser_.stream(now.byte_count(), &Bw2lReader::on_bytes, &Bw2lReader::end_array);
  return ok_status();
}

Status Bw2lReader::end_array() {
  return section().kind() == Bw2lKind::array ? end_section() : next_layer_array();
}

// ---- Layers

Status Bw2lReader::begin_layers() {
  return expect_in_section(8, parser_.position(), "layer_count", &Bw2lReader::on_layer_count);
}

Status Bw2lReader::on_layer_count(ByteSpan bytes) {
  layer_count_ = load_le<uint64_t>(bytes.data());
  layer_count_at_ = parser_.position() - 8;
  if (layer_count_ > room() / kLeastLayer) {
    return malformed(ErrorReason::bounds, layer_count_at_, subject("layer_count"))
        .with_expected("at most " + std::to_string(room() / kLeastLayer))
        .with_got(layer_count_);
  }
  return next_layer();
}

Status Bw2lReader::next_layer() {
  if (section().layers.size() == layer_count_) return end_section();
  if (layers_read_ == kMaxLayers) {
    return beyond_limit(layer_count_at_, section().name, kMaxLayers).with_got(layer_count_);
  }
  ++layers_read_;
  section().layers.emplace_back();
  return expect_in_section(8, parser_.position(), "arch", &Bw2lReader::on_arch_length);
}

Status Bw2lReader::on_arch_length(ByteSpan bytes) {
  const uint64_t length = load_le<uint64_t>(bytes.data());
  const uint64_t at = parser_.position() - 8;
  SUSURRUS_RETURN_IF_ERROR(expect_in_section(length, at, "arch", &Bw2lReader::on_arch));
  return count_text(length, at, subject("arch"));
}

Status Bw2lReader::on_arch(ByteSpan bytes) {
  section().layers.back().arch = as_text(bytes);
  arch_at_ = parser_.position() - bytes.size();
  return expect_in_section(20, parser_.position(), "scale, offset and param_count",
                           &Bw2lReader::on_layer_numbers);
}

Status Bw2lReader::on_layer_numbers(ByteSpan bytes) {
  Bw2lLayer& layer = section().layers.back();
  layer.scale = load_le<float>(bytes.data());
  layer.offset = load_le<int64_t>(bytes.data() + 4);
  array_count_ = load_le<uint64_t>(bytes.data() + 12);
  element_counts_.clear();
  scale_at_ = parser_.position() - 20;
  const uint64_t count_at = parser_.position() - 8;
  if (!std::isfinite(layer.scale)) {
    return malformed(ErrorReason::bad_scale, scale_at_, subject("scale"))
        .with_expected("a number")
        .with_got(std::isnan(layer.scale) ? "NaN" : "infinity");
  }
  if (array_count_ > room() / kLeastArray) {
    return malformed(ErrorReason::bounds, count_at, subject("param_count"))
        .with_expected("at most " + std::to_string(room() / kLeastArray))
        .with_got(array_count_);
  }
  if (section().name == "layers") {
    SUSURRUS_RETURN_IF_ERROR(check_utf8(layer.arch, arch_at_, subject("arch")));
    const auto counts = check_bw2l_layer(layer.arch);
    if (!counts && counts.error().reason == ErrorReason::unsupported) {
      note_unknown_layer(counts.error());
      return next_layer_array();
    }
    if (!counts) {
      Error error = counts.error();
      error.offset = arch_at_;
      error.subject.assign(subject("arch"));
      return error;
    }
    if (!counts->allows(array_count_)) {
      return malformed(ErrorReason::size_mismatch, count_at, subject("param_count"))
          .with_expected(std::to_string(counts->least) + " to " + std::to_string(counts->most) +
                         " arrays for " + layer.arch)
          .with_got(array_count_);
    }
    element_counts_ = bw2l_element_counts(layer.arch);
  }
  return next_layer_array();
}

void Bw2lReader::note_unknown_layer(const Error& error) {
  if (unknown_layers_++ > 0) return;
  // The error's text may have been cut within a character.
  unknown_layer_ = subject("arch") + " (" + replace_invalid_utf8(error.got.view()) + ")";
}

Status Bw2lReader::next_layer_array() {
  return section().layers.back().arrays.size() == array_count_ ? next_layer() : begin_array();
}

}  // namespace susurrus

#include "convert/converter.h"

#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "container/checkpoint_pieces.h"
#include "container/inspection.h"
#include "container/recording_sink.h"
#include "convert/quantize.h"
#include "families/whisper/whisper_family.h"
#include "families/whisper/whisper_tensors.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::converter_test {
namespace {

WhisperDimensions dimensions() {
  WhisperDimensions d;
  d.n_vocab = 5;
  d.n_audio_ctx = 6;
  d.n_text_ctx = 4;
  d.n_mels = 8;
  d.n_audio_layer = d.n_text_layer = 1;
  d.n_audio_head = d.n_text_head = 2;
  d.n_audio_state = d.n_text_state = 32;
  return d;
}

std::string hugging_face_name(std::string name) {
  const std::pair<const char*, const char*> parts[] = {
      {"encoder.positional_embedding", "encoder.embed_positions.weight"},
      {"decoder.positional_embedding", "decoder.embed_positions.weight"},
      {"token_embedding", "embed_tokens"},
      {"ln_post", "layer_norm"},
      {"decoder.ln.", "decoder.layer_norm."},
      {"blocks", "layers"},
      {"cross_attn_ln", "encoder_attn_layer_norm"},
      {"mlp_ln", "final_layer_norm"},
      {"attn_ln", "self_attn_layer_norm"},
      {"cross_attn.", "encoder_attn."},
      {".attn.", ".self_attn."},
      {".query.", ".q_proj."},
      {".key.", ".k_proj."},
      {".value.", ".v_proj."},
      {".out.", ".out_proj."},
      {"mlp.0", "fc1"},
      {"mlp.2", "fc2"}};
  for (const auto& [from, to] : parts) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, std::string(from).size(), to);
  }
  return "model." + name;
}

struct Source {
  Bytes file;
  std::map<std::string, std::vector<float>> values;  // by OpenAI's names
};

Source make_source(Dtype dtype, bool hugging_face, std::string_view without = "") {
  const char* type_name = dtype == Dtype::f32 ? "F32" : dtype == Dtype::f16 ? "F16" : "BF16";
  Source source;
  Bytes data;
  std::string json = "{";
  uint32_t seed = 3;
  for (const WantedTensor& tensor : whisper_tensors(dimensions())) {
    if (tensor.name == without) continue;
    const size_t count = *tensor.shape.element_count();
    const size_t begin = data.size();
    std::vector<float>& values = source.values[tensor.name];
    for (size_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      // Few significant bits: exact in every source type.
      const float value = static_cast<float>(static_cast<int>(seed >> 28) - 8) / 16;
      values.push_back(value);
      if (dtype == Dtype::f32) append_number(data, value);
      if (dtype == Dtype::f16) append_number(data, f16_from_f32(value));
      if (dtype == Dtype::bf16)
        append_number(data, static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    }
    if (json.size() > 1) json += ",";
    json += "\"" + (hugging_face ? hugging_face_name(tensor.name) : tensor.name) +
            "\":{\"dtype\":\"" + type_name + "\",\"shape\":[";
    for (uint32_t i = 0; i < tensor.shape.rank(); ++i)
      json += (i ? "," : "") + std::to_string(tensor.shape[i]);
    json +=
        "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  json += "}";
  append_number<uint64_t>(source.file, json.size());
  append_text(source.file, json);
  source.file.insert(source.file.end(), data.begin(), data.end());
  return source;
}

void drain(Converter& converter, Bytes& out) {
  out.insert(out.end(), converter.output().begin(), converter.output().end());
  converter.consume_output();
}

Status run_pass(Converter& converter, Converter::Pass pass, const Bytes& file, size_t chunk,
                Bytes& out) {
  SUSURRUS_RETURN_IF_ERROR(converter.begin(pass));
  drain(converter, out);
  for (uint32_t i = 0; i < converter.tensor_count(); ++i) {
    const auto range = converter.source_range(i);
    for (uint64_t at = 0; at < range.byte_count; at += chunk) {
      const uint64_t count = std::min<uint64_t>(chunk, range.byte_count - at);
      SUSURRUS_RETURN_IF_ERROR(converter.push(ByteSpan(file).subspan(range.offset + at, count)));
      drain(converter, out);
    }
    SUSURRUS_RETURN_IF_ERROR(converter.finish_tensor());
    drain(converter, out);
  }
  SUSURRUS_RETURN_IF_ERROR(converter.finish());
  drain(converter, out);
  return ok_status();
}

Status prepare(Converter& converter, const Bytes& file) {
  SUSURRUS_ASSIGN_OR_RETURN(const Checkpoint checkpoint, read_checkpoint(file));
  SUSURRUS_RETURN_IF_ERROR(converter.add_source(checkpoint));
  return converter.set_metadata(whisper_builder().metadata);
}

/// All passes of a converter that was prepared.
Bytes run(Converter& converter, const Bytes& file, size_t chunk = 1000) {
  Bytes out;
  Status status = ok_status();
  if (converter.needs_scanning()) {
    status = run_pass(converter, Converter::Pass::scan, file, chunk, out);
  }
  if (status && converter.needs_measuring()) {
    status = run_pass(converter, Converter::Pass::measure, file, chunk, out);
  }
  EXPECT_EQ(out.size(), 0u);
  if (status) status = run_pass(converter, Converter::Pass::write, file, chunk, out);
  EXPECT_TRUE(status.has_value());
  return out;
}

Bytes convert(const Bytes& file, Dtype dtype, Converter::Compression compression,
              size_t chunk = 1000) {
  Converter converter({.dtype = dtype, .compression = compression});
  EXPECT_TRUE(prepare(converter, file).has_value());
  const Bytes out = run(converter, file, chunk);
  EXPECT_EQ(out.size(), converter.files()->total_byte_count());
  return out;
}

}  // namespace

SUSURRUS_TEST(converter_f32_keeps_every_value) {
  for (Dtype source_type : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (bool hugging_face : {false, true}) {
      const Source source = make_source(source_type, hugging_face);
      const Bytes file = convert(source.file, Dtype::f32, Converter::Compression::none);
      RecordingSink sink;
      ASSERT_TRUE(read_file(sink, file).has_value());
      EXPECT_EQ(sink.warnings.size(), 0u);
      EXPECT_EQ(sink.flags, 0x82u);
      EXPECT_EQ(sink.tensors.size(), source.values.size());
      for (const auto& [name, values] : source.values) {
        const Bytes& bytes = sink.tensors[name];
        ASSERT_TRUE(bytes.size() == values.size() * 4);
        EXPECT_TRUE(std::memcmp(bytes.data(), values.data(), bytes.size()) == 0);
      }
      WeightStore store(whisper_alone());
      EXPECT_TRUE(read_file(store, file).has_value());
    }
  }
}

SUSURRUS_TEST(converter_types_by_kind_of_tensor) {
  const Source source = make_source(Dtype::f32, true);
  for (Dtype dtype :
       {Dtype::f16, Dtype::bf16, Dtype::q8_0, Dtype::q5_1, Dtype::q5_0, Dtype::q4_1, Dtype::q4_0}) {
    const Dtype conv = dtype == Dtype::bf16 ? Dtype::bf16 : Dtype::f16;
    RecordingSink sink;
    ASSERT_TRUE(
        read_file(sink, convert(source.file, dtype, Converter::Compression::none)).has_value());
    std::map<std::string, Dtype> types;
    for (const TensorInfo& info : sink.infos) types[info.name] = info.dtype;
    EXPECT_TRUE(types["encoder.conv1.bias"] == Dtype::f32);
    EXPECT_TRUE(types["encoder.blocks.0.attn_ln.weight"] == Dtype::f32);
    EXPECT_TRUE(types["encoder.positional_embedding"] == Dtype::f32);
    EXPECT_TRUE(types["decoder.positional_embedding"] == Dtype::f32);
    EXPECT_TRUE(types["encoder.conv1.weight"] == conv);
    EXPECT_TRUE(types["encoder.conv2.weight"] == conv);
    EXPECT_TRUE(types["decoder.token_embedding.weight"] == dtype);
    EXPECT_TRUE(types["decoder.blocks.0.mlp.2.weight"] == dtype);
    // Attention is one type wider than blocks of four and five bits.
    const bool has_five_bits = dtype == Dtype::q5_0 || dtype == Dtype::q5_1;
    const Dtype attention = dtype == Dtype::q4_0   ? Dtype::q5_0
                            : dtype == Dtype::q4_1 ? Dtype::q5_1
                            : has_five_bits        ? Dtype::q8_0
                                                   : dtype;
    EXPECT_TRUE(types["encoder.blocks.0.attn.query.weight"] == attention);
    EXPECT_TRUE(types["decoder.blocks.0.attn.out.weight"] == attention);
    EXPECT_TRUE(types["decoder.blocks.0.cross_attn.value.weight"] == attention);
    EXPECT_TRUE(types["decoder.blocks.0.cross_attn_ln.weight"] == Dtype::f32);
    EXPECT_TRUE(((sink.flags & 0x40) != 0) == is_block_dtype(dtype));
    EXPECT_EQ(sink.warnings.size(), 0u);
    const auto& values = source.values.at("decoder.token_embedding.weight");
    Bytes expected(*tensor_byte_count(dtype, {5, 32}));
    write_floats(dtype, values.data(), values.size(), expected.data());
    EXPECT_TRUE(sink.tensors["decoder.token_embedding.weight"] == expected);
  }
}

SUSURRUS_TEST(converter_output_does_not_depend_on_chunks_or_compression) {
  const Source source = make_source(Dtype::bf16, true);
  RecordingSink raw;
  const Bytes raw_file = convert(source.file, Dtype::q8_0, Converter::Compression::none);
  ASSERT_TRUE(read_file(raw, raw_file).has_value());
  const Bytes packed_file = convert(source.file, Dtype::q8_0, Converter::Compression::lz4);
  RecordingSink packed;
  ASSERT_TRUE(read_file(packed, packed_file).has_value());
  EXPECT_TRUE(packed.tensors == raw.tensors);
  EXPECT_TRUE((packed.flags & 1) != 0);
  EXPECT_TRUE(packed_file.size() < raw_file.size());
  for (const TensorInfo& info : packed.infos)
    EXPECT_TRUE(info.stored_byte_count <= info.raw_byte_count);
  for (size_t chunk : {1, 3, 127, 100000}) {
    EXPECT_TRUE(convert(source.file, Dtype::q8_0, Converter::Compression::lz4, chunk) ==
                packed_file);
  }
}

SUSURRUS_TEST(converter_computes_encoder_positions) {
  const Source source = make_source(Dtype::f32, false, kEncoderPositionsName);
  RecordingSink sink;
  ASSERT_TRUE(
      read_file(sink, convert(source.file, Dtype::f16, Converter::Compression::lz4)).has_value());
  const Bytes& bytes = sink.tensors[std::string(kEncoderPositionsName)];
  ASSERT_TRUE(bytes.size() == 6 * 32 * 4);
  for (int t = 0; t < 6; ++t) {
    for (int i = 0; i < 16; ++i) {
      const double angle = t * std::exp(-i * std::log(10000.0) / 15);
      EXPECT_NEAR(load_le<float>(bytes.data() + (t * 32 + i) * 4), std::sin(angle), 1e-6);
      EXPECT_NEAR(load_le<float>(bytes.data() + (t * 32 + 16 + i) * 4), std::cos(angle), 1e-6);
    }
  }
}

SUSURRUS_TEST(converter_refuses_incomplete_sources) {
  const Source source = make_source(Dtype::f32, true, "decoder.ln.bias");
  Converter converter({.dtype = Dtype::f16});
  const Status status = prepare(converter, source.file);
  EXPECT_EQ(status.error().code, ErrorCode::missing_tensor);
  EXPECT_EQ(status.error().subject.view(), "decoder.ln.bias");
  EXPECT_EQ(converter.begin(Converter::Pass::write).error().code,
            ErrorCode::disabled_by_previous_error);
}

SUSURRUS_TEST(converter_keeps_the_order_of_calls) {
  const Source source = make_source(Dtype::f32, true);
  Converter converter({.dtype = Dtype::f16, .compression = Converter::Compression::lz4});
  EXPECT_EQ(converter.begin(Converter::Pass::write).error().code, ErrorCode::wrong_state);
  Converter unmeasured({.dtype = Dtype::f16, .compression = Converter::Compression::lz4});
  ASSERT_TRUE(prepare(unmeasured, source.file).has_value());
  EXPECT_EQ(unmeasured.begin(Converter::Pass::write).error().code, ErrorCode::wrong_state);
  Converter undrained({.dtype = Dtype::f16});
  ASSERT_TRUE(prepare(undrained, source.file).has_value());
  ASSERT_TRUE(undrained.begin(Converter::Pass::write).has_value());
  const uint8_t piece[4] = {};
  ASSERT_TRUE(undrained.push(piece).has_value());
  EXPECT_EQ(undrained.finish_tensor().error().code, ErrorCode::wrong_state);
  undrained.consume_output();
  EXPECT_EQ(undrained.finish_tensor().error().code,
            ErrorCode::source_failed);  // its bytes never came
  Converter wrong_type({.dtype = Dtype::i8});
  EXPECT_EQ(prepare(wrong_type, source.file).error().code, ErrorCode::invalid_argument);
}

SUSURRUS_TEST(converter_scales_integers_by_each_tensors_largest_value) {
  const Source source = make_source(Dtype::bf16, true);
  Converter converter({.format = Converter::Format::apr1, .dtype = Dtype::i8});
  ASSERT_TRUE(prepare(converter, source.file).has_value());
  EXPECT_TRUE(converter.needs_scanning());
  Bytes file;
  ASSERT_TRUE(run_pass(converter, Converter::Pass::scan, source.file, 77, file).has_value());
  EXPECT_EQ(file.size(), 0u);
  ASSERT_TRUE(run_pass(converter, Converter::Pass::write, source.file, 1000, file).has_value());
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, file).has_value());
  EXPECT_EQ(sink.infos.size(), source.values.size());
  for (const TensorInfo& info : sink.infos) {
    const std::vector<float>& values = source.values.at(info.name);
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::fabs(value));
    EXPECT_EQ(info.scale, largest / 127);
    for (size_t i = 0; i < values.size() && !current_case_failed(); ++i) {
      const auto integer = static_cast<int8_t>(sink.tensors[info.name][i]);
      EXPECT_NEAR(integer * info.scale, values[i], info.scale * 0.5001f);
      EXPECT_TRUE(integer >= -127);
    }
  }
}

/// A model file that was read to its end, on to another.
Bytes convert_model(const Bytes& file, const Converter::Target& target, size_t chunk = 1000) {
  InspectSink sink;
  EXPECT_TRUE(read_file(sink, file).has_value());
  sink.complete();
  const Checkpoint checkpoint = sink.take_checkpoint();
  EXPECT_EQ(std::string_view(checkpoint.format), sink.format());
  Converter converter(target);
  EXPECT_TRUE(converter.add_source(checkpoint).has_value());
  EXPECT_TRUE(converter.set_metadata(whisper_builder().metadata).has_value());
  return run(converter, file, chunk);
}

SUSURRUS_TEST(converter_copies_blocks_of_the_wanted_type_out_of_a_model_file) {
  const Source source = make_source(Dtype::f32, true);
  const Bytes raw = convert(source.file, Dtype::q5_0, Converter::Compression::none);
  const Bytes packed = convert(source.file, Dtype::q5_0, Converter::Compression::lz4);
  ASSERT_TRUE(packed.size() < raw.size());
  constexpr auto kLz4 = Converter::Compression::lz4;
  for (const size_t chunk : {size_t{1}, size_t{61}, size_t{100000}}) {
    // Blocks are copied as stored, whether the type is requested or kept, compressed or not.
    EXPECT_TRUE(convert_model(packed, {}, chunk) == raw);
    EXPECT_TRUE(convert_model(packed, {.dtype = Dtype::q5_0}, chunk) == raw);
    EXPECT_TRUE(convert_model(raw, {.compression = kLz4}, chunk) == packed);
  }
  RecordingSink before;
  RecordingSink after;
  ASSERT_TRUE(read_file(before, raw).has_value());
  ASSERT_TRUE(read_file(after, convert_model(packed, {.dtype = Dtype::f16})).has_value());
  for (const TensorInfo& info : before.infos) {
    const size_t count = *info.shape.element_count();
    std::vector<float> values(count);
    read_floats(info.dtype, before.tensors[info.name].data(), count, values.data());
    const Dtype wanted = is_block_dtype(info.dtype) ? Dtype::f16 : info.dtype;
    Bytes expected(*tensor_byte_count(wanted, info.shape));
    write_floats(wanted, values.data(), count, expected.data());
    EXPECT_TRUE(after.tensors[info.name] == expected);
  }
}

SUSURRUS_TEST(converter_keeps_integers_and_their_scales) {
  const Source source = make_source(Dtype::f32, false);
  Converter converter({.format = Converter::Format::apr1, .dtype = Dtype::i8});
  ASSERT_TRUE(prepare(converter, source.file).has_value());
  const Bytes file = run(converter, source.file);
  const Converter::Target integers = {.format = Converter::Format::apr1, .dtype = Dtype::i8};
  EXPECT_TRUE(convert_model(file, integers) == file);
  Converter::Target packed = integers;
  packed.compression = Converter::Compression::lz4;
  EXPECT_TRUE(convert_model(convert_model(file, packed), integers) == file);
}

namespace {

Bytes export_safetensors(const Bytes& file, std::optional<Dtype> dtype) {
  Converter converter({.format = Converter::Format::safetensors, .dtype = dtype});
  Bytes out;
  EXPECT_TRUE(prepare(converter, file).has_value());
  EXPECT_TRUE(run_pass(converter, Converter::Pass::write, file, 1000, out).has_value());
  EXPECT_TRUE(converter.files() == nullptr);
  return out;
}

/// Its tensors by their names in the file.
std::map<std::string, std::pair<TensorInfo, Bytes>> tensors_of(const Bytes& file) {
  std::map<std::string, std::pair<TensorInfo, Bytes>> tensors;
  const auto checkpoint = read_checkpoint(file);
  EXPECT_TRUE(checkpoint.has_value());
  for (const CheckpointTensor& tensor : checkpoint->tensors) {
    const auto begin = file.begin() + static_cast<ptrdiff_t>(tensor.info.file_offset);
    const auto end = begin + static_cast<ptrdiff_t>(tensor.info.stored_byte_count);
    tensors[tensor.info.name] = {tensor.info, Bytes(begin, end)};
  }
  return tensors;
}

/// A checkpoint whose matrices are blocks of this type.
Checkpoint with_blocks(const Bytes& file, Dtype dtype) {
  auto checkpoint = read_checkpoint(file);
  EXPECT_TRUE(checkpoint.has_value());
  for (CheckpointTensor& tensor : checkpoint->tensors) {
    TensorInfo& info = tensor.info;
    const bool is_table = info.name.find("embed_positions") != std::string::npos;
    if (info.shape.rank() != 2 || is_table) continue;
    info.dtype = dtype;
    info.raw_byte_count = info.stored_byte_count = *tensor_byte_count(dtype, info.shape);
  }
  return std::move(checkpoint).value();
}

}  // namespace

SUSURRUS_TEST(converter_exports_safetensors_bit_for_bit) {
  for (Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const Source source = make_source(dtype, true);
    const auto expected = tensors_of(source.file);
    const Bytes file = export_safetensors(source.file, std::nullopt);
    const auto found = tensors_of(file);
    EXPECT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      ASSERT_TRUE(found.contains(name));
      EXPECT_TRUE(found.at(name).first.dtype == dtype);
      EXPECT_TRUE(found.at(name).first.shape == tensor.first.shape);
      EXPECT_TRUE(found.at(name).second == tensor.second);
    }
    EXPECT_TRUE(export_safetensors(source.file, dtype) == file);
  }
}

SUSURRUS_TEST(converter_exports_the_type_that_was_asked_for) {
  const Source source = make_source(Dtype::f32, false);
  for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    for (const auto& [name, tensor] : tensors_of(export_safetensors(source.file, dtype))) {
      EXPECT_TRUE(tensor.first.dtype == dtype);
      std::vector<float> values(*tensor.first.shape.element_count());
      read_floats(dtype, tensor.second.data(), values.size(), values.data());
      EXPECT_TRUE(values == source.values.at(canonical_tensor_name(name)));
    }
  }
}

SUSURRUS_TEST(converter_exports_no_blocks_to_safetensors) {
  const Source source = make_source(Dtype::f32, true);
  const Checkpoint blocks = with_blocks(source.file, Dtype::q5_1);
  Converter unsaid({.format = Converter::Format::safetensors, .dtype = std::nullopt});
  ASSERT_TRUE(unsaid.add_source(blocks).has_value());
  const Status status = unsaid.set_metadata(whisper_builder().metadata);
  ASSERT_TRUE(!status);
  EXPECT_TRUE(status.error().code == ErrorCode::invalid_argument);
  EXPECT_TRUE(status.error().reason == ErrorReason::option);
  EXPECT_EQ(status.error().subject.view(), "dtype");
  EXPECT_EQ(status.error().got.view(), "q5_1");
  Converter asked({.format = Converter::Format::safetensors, .dtype = Dtype::q8_0});
  ASSERT_TRUE(asked.add_source(blocks).has_value());
  EXPECT_EQ(asked.set_metadata(whisper_builder().metadata).error().got.view(), "q8_0");
  Converter said({.format = Converter::Format::safetensors, .dtype = Dtype::f16});
  ASSERT_TRUE(said.add_source(blocks).has_value());
  EXPECT_TRUE(said.set_metadata(whisper_builder().metadata).has_value());
}

SUSURRUS_TEST(ggml_files_have_the_smallest_type_that_is_exact) {
  const auto dtype_of = [](std::initializer_list<Dtype> matrices, Dtype convolution) {
    ConversionPlan plan;
    const auto add = [&](std::string name, Shape shape, Dtype dtype) {
      PlannedTensor tensor;
      tensor.name = std::move(name);
      tensor.shape = shape;
      tensor.dtype = dtype;
      plan.tensors.push_back(std::move(tensor));
    };
    add("encoder.conv1.weight", {32, 8, 3}, convolution);
    add("encoder.conv1.bias", {32}, Dtype::f32);
    add("encoder.positional_embedding", {6, 32}, Dtype::f32);
    for (const Dtype dtype : matrices) add("matrix", {32, 32}, dtype);
    const auto found = ggml_file_dtype(plan);
    return found ? dtype_traits(*found).name : error_code_name(found.error().code);
  };
  const Dtype half = Dtype::f16;
  EXPECT_EQ(dtype_of({half, half}, half), "f16");
  EXPECT_EQ(dtype_of({half, half}, Dtype::f32), "f32");
  EXPECT_EQ(dtype_of({half, Dtype::f32}, half), "f32");
  EXPECT_EQ(dtype_of({Dtype::bf16}, Dtype::bf16), "f32");
  EXPECT_EQ(dtype_of({Dtype::q5_1, Dtype::q5_1}, half), "q5_1");
  EXPECT_EQ(dtype_of({Dtype::q5_1, Dtype::q5_0}, half), "invalid_argument");
  EXPECT_EQ(dtype_of({half, Dtype::q8_0}, half), "invalid_argument");
  EXPECT_EQ(dtype_of({Dtype::q8_0, half}, half), "invalid_argument");
}

SUSURRUS_TEST(converter_tells_what_each_tensor_lost) {
  const Source source = make_source(Dtype::f32, true);
  for (Dtype dtype : {Dtype::f16, Dtype::q8_0}) {
    Converter converter({.dtype = dtype});
    Bytes out;
    ASSERT_TRUE(prepare(converter, source.file).has_value());
    ASSERT_TRUE(run_pass(converter, Converter::Pass::write, source.file, 777, out).has_value());
    ASSERT_TRUE(converter.written().size() == converter.tensor_count());
    bool has_lost = false;
    for (uint32_t i = 0; i < converter.tensor_count(); ++i) {
      const Converter::WrittenTensor& written = converter.written()[i];
      const auto& values = source.values.at(std::string(converter.tensor_name(i)));
      Bytes encoded(values.size() * sizeof(float));
      std::vector<float> decoded(values.size());
      if (is_block_dtype(written.dtype) && values.size() % 32 != 0) continue;
      write_floats(written.dtype, values.data(), values.size(), encoded.data());
      read_floats(written.dtype, encoded.data(), values.size(), decoded.data());
      double error = 0;
      double energy = 0;
      for (size_t v = 0; v < values.size(); ++v) {
        const double difference = static_cast<double>(decoded[v]) - static_cast<double>(values[v]);
        error += difference * difference;
        energy += static_cast<double>(values[v]) * static_cast<double>(values[v]);
      }
      EXPECT_NEAR(written.relative_error, std::sqrt(error / energy), 1e-12);
      // The values have few bits: only blocks can lose some.
      if (!is_block_dtype(written.dtype)) EXPECT_EQ(written.relative_error, 0.0);
      has_lost = has_lost || written.relative_error > 0;
    }
    EXPECT_TRUE(has_lost == (dtype == Dtype::q8_0));
  }
}

SUSURRUS_TEST(converter_takes_a_filterbank_along_where_it_is_a_tensor) {
  const Source source = make_source(Dtype::f32, true);
  auto checkpoint = read_checkpoint(source.file);
  ASSERT_TRUE(checkpoint.has_value());
  // Values of another tensor do.
  CheckpointTensor filterbank;
  for (const CheckpointTensor& tensor : checkpoint->tensors) {
    if (tensor.info.name.ends_with("conv2.weight")) filterbank = tensor;
  }
  filterbank.info.name = kFilterbankTensorName;
  filterbank.info.shape = {8, 201};
  filterbank.info.raw_byte_count = filterbank.info.stored_byte_count = 8 * 201 * 4;
  checkpoint->tensors.push_back(filterbank);
  Converter converter({.dtype = Dtype::q8_0});
  ASSERT_TRUE(converter.add_source(*checkpoint).has_value());
  ASSERT_TRUE(converter.set_metadata(whisper_builder().metadata).has_value());
  EXPECT_EQ(converter.warnings().size(), 0u);
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, run(converter, source.file)).has_value());
  const Bytes& found = sink.tensors[std::string(kFilterbankTensorName)];
  ASSERT_TRUE(found.size() == 8 * 201 * 4);
  const auto* expected = source.file.data() + filterbank.info.file_offset;
  EXPECT_TRUE(std::memcmp(found.data(), expected, found.size()) == 0);
  for (const auto format : {Converter::Format::apr1, Converter::Format::safetensors}) {
    Converter other({.format = format, .dtype = Dtype::f16});
    ASSERT_TRUE(other.add_source(*checkpoint).has_value());
    ASSERT_TRUE(other.set_metadata(whisper_builder().metadata).has_value());
    EXPECT_EQ(other.tensor_count(), source.values.size());
    ASSERT_TRUE(!other.warnings().empty());
    EXPECT_TRUE(other.warnings()[0].starts_with("audio.mel_filterbank is left out"));
  }
}

}  // namespace susurrus::testing::converter_test

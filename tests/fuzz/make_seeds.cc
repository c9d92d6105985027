// Writes the files that fuzzing begins with: make_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "audio/wav_builder.h"
#include "container/apr1_builder.h"
#include "container/apr2_builder.h"
#include "container/april_builder.h"
#include "container/bw2l_builder.h"
#include "container/ctranslate2_builder.h"
#include "container/ggml_builder.h"
#include "container/gguf_builder.h"
#include "container/onnx_builder.h"
#include "container/shards_builder.h"
#include "container/tennis_builder.h"
#include "fuzz_input.h"
#include "shards_input.h"

namespace susurrus::testing {
namespace {

std::filesystem::path folder;

void write(const char* target, const std::string& name, Bytes file, uint16_t choices) {
  file.push_back(static_cast<uint8_t>(choices >> 8));
  file.push_back(static_cast<uint8_t>(choices));
  const std::filesystem::path path = folder / target / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

Bytes bytes_of(std::string_view text) { return Bytes(text.begin(), text.end()); }

void write_model_files() {
  Apr2Builder small;
  small.metadata = R"({"apr_version":"2.0.0","model_type":"other"})";
  write("model_file", "empty", small.build(), 3);
  BuiltTensor raw;
  raw.name = "raw";
  raw.dims = {2, 3};
  raw.stored = Bytes(24, 0x3e);
  small.tensors.push_back(raw);
  const Bytes pattern(70'000, 0x11);
  BuiltTensor compressed;
  compressed.name = "compressed";
  compressed.dtype = 7;
  compressed.dims = {pattern.size()};
  compressed.stored = lz4_stream(pattern);
  compressed.raw_size = pattern.size();
  small.flags = 0x03;
  small.tensors.push_back(compressed);
  write("model_file", "raw_and_lz4", small.build(), 1);
  small.metadata = tiny_metadata();
  write("model_file", "dimensions", small.build(), 0x42);
  small.version_major = 1;
  write("model_file", "version_1", small.build(), 0);
}

void write_metadata() {
  write("json_metadata", "dimensions", bytes_of(tiny_metadata()), 1);
  write(
      "json_metadata", "vocabulary",
      bytes_of(
          R"({"apr_version":"2.0.0","model_type":"whisper","architecture":{"n_vocab":5,)"
          R"("n_audio_ctx":4,"n_text_ctx":4,"n_mels":1,"n_audio_layer":1,"n_text_layer":1,)"
          R"("n_audio_head":1,"n_text_head":1,"n_audio_state":4,"n_text_state":4},)"
          R"("tokenizer_config":{"vocab_encoding":"base64"},"vocab":["YQ==","YmM=","","ZA==","ZQ=="],)"
          R"("mel_filterbank":"AAAA","suppress_tokens":[1,2],"begin_suppress_tokens":[],)"
          R"("alignment_heads":[[0,0]],"is_multilingual":false,"max_initial_timestamp_index":50})"),
      1);
}

/// Manifest and two shards.
void write_shards() {
  Sharded model;
  for (size_t i = 0; i < 2; ++i) {
    Apr2Builder shard;
    shard.metadata = tiny_metadata();
    shard.flags |= 0x08;
    BuiltTensor tensor;
    tensor.name = i == 0 ? "first" : "second";
    tensor.dims = {2, 2};
    tensor.stored = Bytes(16, static_cast<uint8_t>(i + 1));
    shard.tensors.push_back(tensor);
    model.shards.push_back(shard);
  }
  model.build_files();
  model.write_manifest();
  const auto write_model = [&](const char* name, uint16_t choices) {
    std::vector<Bytes> files = {Bytes(model.manifest.begin(), model.manifest.end())};
    files.insert(files.end(), model.files.begin(), model.files.end());
    write("shards", name, fuzz::joined(files), choices);
  };
  write_model("two", 3);
  write_model("two_of_unknown_length", 0x40);
  std::swap(model.files[0], model.files[1]);
  write_model("swapped", 2);
  model.manifest = R"({"shard_count":1,"shards":[{"filename":"a.apr","size":)" +
                   std::to_string(model.files[0].size()) +
                   R"(}],"weight_map":{"second":0},"metadata":{}})";
  write_model("aprender", 2);
}

void write_apr1_files() {
  Apr1Builder golden = golden_apr1();
  write("apr1", "golden", golden.build(), 3);
  golden.is_padded = true;
  write("apr1", "padded", golden.build(), 0x41);
  Apr1Builder lz4 = golden_apr1();
  lz4.compressed = 1;
  lz4.tensors[0].dims = {500};
  lz4.tensors[0].stored = lz4_stream(Bytes(2000, 0x11));
  write("apr1", "lz4", lz4.build(), 0x32);
  Apr1Builder integers = golden_apr1();
  integers.quantization = 2;
  integers.tensors = {{"decoder.ln.weight", {3}, {1, 0x80, 0xFF}, 0.5f},
                      {"decoder.ln.bias", {2, 2}, {4, 5, 6, 7}, 0.25f}};
  write("apr1", "integers", integers.build(), 1);
  write("apr1", "json",
        json_apr1(R"({"model_type":"linear","vocab":["a","b"]})", 1,
                  R"([{"name":"weight","dtype":"F32","shape":[2,2],"offset":0,"size":16}])",
                  float_bytes({1, 2, 3, 4})),
        2);
}

void write_april_files() {
  AprilBuilder sound;
  sound.params[11] = static_cast<int32_t>(sound.tokens.size());
  write("april", "sound", sound.build(), 1);
  AprilBuilder gaps;
  gaps.header_slack = Bytes(3, 1);
  gaps.params_slack = Bytes(5, 2);
  gaps.gap = Bytes(7, 3);
  gaps.behind = Bytes(9, 4);
  gaps.order = {3, 2, 0, 1};
  write("april", "gaps", gaps.build(), 0x22);
}

void write_bw2l_files() {
  Bw2lBuilder sound;
  BuiltSection& array = sound["transitions"];
  array.type = "array";
  append_array(array.data, "fp32", 16, 4);
  sound.sections.push_back({"notes", "unknown type", Bytes(9, 7), "kept"});
  write("bw2l", "sound", sound.build(), 1);
  sound.behind = {1, 2, 3};
  sound.set_layers({{"C 4 8 3 1 -1", {{"fp16", 96}, {"fp32", 8}}},
                    {"RES 1 1 1\nR", {{"i8", 4}}, 0.5f, -3},
                    {"L 8 4", {{"i16", 32}, {"i32", 4}}}});
  write("bw2l", "layers", sound.build(), 0x31);
}

void write_tennis_modules() {
  TennisBuilder small = small_module();
  write("tennis", "small", small.build(), 1);
  small.behind = {1, 2};
  write("tennis", "behind", small.build(), 0x20);
  write("tennis", "every_dtype", module_of_every_dtype().build(), 0x43);
}

/// An ONNX network of one node with an input of two dimensions and a weight of four numbers.
Bytes onnx_node(std::string_view op, std::vector<std::string> inputs, std::string output) {
  OnnxBuilder network;
  Bytes node;
  for (const std::string& input : inputs) append_text_field(node, 1, input);
  append_text_field(node, 2, output);
  append_text_field(node, 4, op);
  network.nodes = {node};
  network.operators = {};
  network.inputs = {{"x", {-1, 4}}};
  network.outputs = {{output, {}}};
  return network.build();
}

void write_graphs() {
  for (const char* op :
       {"Relu", "Softmax", "Transpose", "Shape", "DynamicQuantizeLinear", "Size"}) {
    write("graph", op, onnx_node(op, {"x"}, "y"), 1);
  }
  for (const char* op : {"Add", "MatMul", "PRelu", "Max", "Pow", "Concat", "LayerNormalization"}) {
    write("graph", op, onnx_node(op, {"x", "weight"}, "y"), 2);
  }
  write("graph", "output_without_a_name", onnx_node("Relu", {"x"}, ""), 1);
  write("graph", "tennis", small_module().build(), 1);
  Bw2lBuilder layers;
  layers.set_layers({{"V -1 1 NFEAT 0"}, {"C2 1 2 3 1 1 1", {{"fp32", 6}, {"fp32", 2}}}, {"R"}});
  write("graph", "bw2l", layers.build(), 1);
}

/// The models have a state of 2, so that the seeds are small.
void write_checkpoints() {
  GgmlFile ggml;
  ggml.header[2] = ggml.header[6] = 2;
  ggml.filters.clear();  // which the target adds
  ggml.tensors = {{"encoder.conv1.bias", 0, {1, 2}, Bytes(8, 1)},
                  {"encoder.conv1.weight", 1, {3, 80, 2}, Bytes(960, 3)},
                  {"decoder.token_embedding.weight", 8, {32, 3}, Bytes(102, 2)}};
  write("checkpoint", "ggml", ggml.build(), 8);
  GgufFile gguf;
  gguf.tensors = {{"model.encoder.conv1.weight", {3, 80, 2}, 1, 960},
                  {"model.encoder.layers.1.fc1.bias", {8}, 0, 32},
                  {"model.decoder.layers.0.fc1.bias", {8}, 0, 32},
                  {"model.decoder.embed_tokens.weight", {2, 3}, 1, 12},
                  {"model.decoder.embed_positions.weight", {2, 4}, 0, 32},
                  {"model.decoder.layer_norm.weight", {2}, 0, 8}};
  write("checkpoint", "gguf", gguf.build(), 0x10);
  write("checkpoint", "ctranslate2", CTranslate2File().build(), 0x21);
  Bytes file;
  const std::string json =
      R"({"decoder.ln.bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  append_number<uint64_t>(file, json.size());
  append_text(file, json);
  file.resize(file.size() + 8);
  write("checkpoint", "safetensors", file, 2);
}

void write_safetensors() {
  for (const char* dtype : {"F32", "F16", "I64"}) {
    const std::string header =
        std::string(R"({"__metadata__":{"format":"pt"},"model.a":{"dtype":")") + dtype +
        R"(","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"F16",)" +
        R"("shape":[],"data_offsets":[8,10]}})";
    Bytes file;
    append_number<uint64_t>(file, header.size());
    append_text(file, header);
    file.resize(file.size() + 10);
    write("safetensors", dtype, file, 0);
  }
}

void write_search_texts() {
  write(
      "arpa", "trigrams",
      bytes_of("\n\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n"
               "\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.5\n-1.5\t</s>\n-1\ta\t-0.25\n-1.25\tb\t-0.125\n"
               "\n\\2-grams:\n-0.75\t<s> a\t-0.0625\n-0.5\ta b\t-1\n-0.375\tb </s>\n"
               "\n\\3-grams:\r\n-0.25\t<s> a b\r\n\n\\end\\\n"),
      3);
  write("arpa", "short", bytes_of("\\data\\\nngram 1 = 2\n\\1-grams:\n-1e-1 a\n-.5 b\n\\end\\"), 8);
  write("lexicon", "words", bytes_of("ab\ta b |\n\nba b a |\r\nab a b\nother\ta b |"), 2);
  write("lexicon", "copies", bytes_of("aa a a\nbbb b b b |\nabba a b b a\n"), 1);
  write("lexicon", "one_spelling", bytes_of("1 a\n2 a\n3 a\n4 a\n5 a\n6 a\n7 a\n"), 4);
}

void write_wav_files() {
  WavBuilder wav;
  wav.data = Bytes(60, 0x21);
  write("wav", "pcm16", wav.build(), 7);
  wav.channels = 2;
  wav.bits = 24;
  wav.extensible_mask = 3;
  write("wav", "extensible", wav.build(), 8);
  wav.extensible_mask.reset();
  wav.big_endian = true;
  wav.magic = "RIFX";
  wav.tag = 3;
  wav.bits = 32;
  write("wav", "big_endian_float", wav.build(), 9);
  wav = {};
  wav.tag = 6;
  wav.bits = 8;
  wav.data = Bytes(33, 0x55);
  wav.data_size = 0xFFFFFFFF;
  write("wav", "a_law_endless", wav.build(), 10);
}

void write_texts() {
  write("tokenizer", "words",
        bytes_of("thhe\x80r aanndbb isit's we'll 12 can't <|1.08|>  "
                 "\xC3\xA9t\xC3\xA9\n\xE3\x81\x82\xE3\x81\x84"),
        1);
}

}  // namespace
}  // namespace susurrus::testing

int main(int count, char** arguments) {
  using namespace susurrus::testing;
  if (count != 2) {
    std::fprintf(stderr, "make_seeds FOLDER\n");
    return 2;
  }
  folder = arguments[1];
  write_model_files();
  write_metadata();
  write_safetensors();
  write_shards();
  write_apr1_files();
  write_april_files();
  write_bw2l_files();
  write_tennis_modules();
  write_graphs();
  write_checkpoints();
  write_search_texts();
  write_wav_files();
  write_texts();
}

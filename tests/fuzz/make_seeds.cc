// Writes the files that fuzzing begins with: make_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "audio/wav_builder.h"
#include "container/apr2_builder.h"
#include "fuzz_input.h"

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
  write_wav_files();
  write_texts();
}

// make_vad_model SILERO.onnx OUTPUT.tsm: the part of Silero's network that hears 16 kHz, as a TenniS module with packed weights.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "graph/onnx/onnx_graph.h"
#include "graph/tennis/write_tennis_graph.h"
#include "stream/output_buffer.h"

namespace {

using namespace susurrus;

int fail(const Error& error) {
  const auto part = [](const char* title, std::string_view text) {
    if (!text.empty()) std::fprintf(stderr, " %s%.*s", title, int(text.size()), text.data());
  };
  std::fprintf(stderr, "make_vad_model:");
  part("", error_code_name(error.code));
  part("", error.subject.view());
  part("expected ", error.expected.view());
  part("got ", error.got.view());
  std::fprintf(stderr, "\n");
  return 1;
}

bool read_file(const char* path, std::string& bytes) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  char piece[65536];
  for (size_t count = 0; (count = std::fread(piece, 1, sizeof piece, file)) > 0;) {
    bytes.append(piece, count);
  }
  const bool is_read = std::ferror(file) == 0;
  return std::fclose(file) == 0 && is_read;
}

bool write_file(const char* path, ByteSpan bytes) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && is_written;
}

}  // namespace

int main(int argc, char** argv) {
  std::string onnx;
  if (argc != 3 || !read_file(argv[1], onnx)) {
    std::fprintf(stderr, "usage: make_vad_model SILERO.onnx OUTPUT.tsm\n");
    return 1;
  }
  // 512 samples behind the 64 before them; what the LSTM remembers: h, then c.
  const OnnxFixedInput fixed[] = {
      {"sr", 16000, {}}, {"input", {}, {1, 576}}, {"state", {}, {2, 1, 128}}};
  const auto graph = graph_from_onnx("silero", as_bytes(onnx), 0, fixed);
  if (!graph) return fail(graph.error());
  OutputBuffer module;
  if (auto status = write_tennis_graph(*graph, TennisWeights::packed, module); !status) {
    return fail(status.error());
  }
  if (!write_file(argv[2], module.bytes())) {
    std::perror(argv[2]);
    return 1;
  }
  return 0;
}

#include "files.h"

#include <cstdio>

#include "container/apr2/apr2_reader.h"
#include "families/whisper/whisper_family.h"

namespace susurrus::driver {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Error file_error(const std::string& path) {
  return make_error(ErrorCode::source_failed, ErrorReason::source).with_subject(path);
}

}  // namespace

Result<std::vector<float>> read_floats(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return file_error(path);
  std::fseek(file.get(), 0, SEEK_END);
  const long byte_count = std::ftell(file.get());
  std::rewind(file.get());
  if (byte_count < 0) return file_error(path);
  std::vector<float> values(static_cast<size_t>(byte_count) / sizeof(float));
  if (std::fread(values.data(), sizeof(float), values.size(), file.get()) != values.size()) {
    return file_error(path);
  }
  return values;
}

Status write_floats(const std::string& path, std::span<const float> values) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return file_error(path);
  if (std::fwrite(values.data(), sizeof(float), values.size(), file.get()) != values.size()) {
    return file_error(path);
  }
  return ok_status();
}

Result<std::unique_ptr<WhisperModel>> load_model(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return file_error(path);
  WeightStore store(whisper_alone());
  Apr2Reader reader(store);
  std::vector<uint8_t> chunk(size_t{1} << 18);
  for (;;) {
    const size_t byte_count = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (byte_count == 0) break;
    SUSURRUS_RETURN_IF_ERROR(reader.push({chunk.data(), byte_count}));
  }
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  return WhisperModel::create(std::move(store), default_kernels());
}

}  // namespace susurrus::driver

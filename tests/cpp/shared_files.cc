#include "shared_files.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace susurrus::testing {
namespace {

std::FILE* open_shared(const std::string& path) {
  if (const char* folder = std::getenv("SUSURRUS_SHARED")) {
    return std::fopen((folder + ("/" + path)).c_str(), "rb");
  }
  // Test programs run in the source tree or in a build folder within it.
  std::string up = "../";
  for (int level = 0; level < 4; ++level, up += "../") {
    if (std::FILE* file = std::fopen((up + "shared/" + path).c_str(), "rb")) return file;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> shared_bytes(const std::string& path) {
  std::FILE* file = open_shared(path);
  if (file == nullptr) {
    std::printf("  skipped: needs %s in the shared folder\n", path.c_str());
    return std::nullopt;
  }
  std::string bytes;
  char piece[4096];
  while (size_t count = std::fread(piece, 1, sizeof piece, file)) bytes.append(piece, count);
  std::fclose(file);
  return bytes;
}

std::optional<JsonDocument> shared_json(const std::string& path) {
  const auto text = shared_bytes(path);
  if (!text) return std::nullopt;
  auto document = JsonDocument::parse(*text, {});
  if (!document) {
    std::printf("  %s is not JSON\n", path.c_str());
    std::abort();
  }
  return std::move(document).value();
}

}  // namespace susurrus::testing

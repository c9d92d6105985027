#include "shared_files.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace susurrus::testing {
namespace {

std::FILE* open_upwards(const std::string& path) {
  // Test programs run in the source tree or in a build folder within it.
  std::string up;
  for (int level = 0; level < 5; ++level, up += "../") {
    if (std::FILE* file = std::fopen((up + path).c_str(), "rb")) return file;
  }
  return nullptr;
}

std::FILE* open_shared(const std::string& path) {
  if (const char* folder = std::getenv("SUSURRUS_SHARED")) {
    return std::fopen((folder + ("/" + path)).c_str(), "rb");
  }
  return open_upwards("shared/" + path);
}

std::string read_all(std::FILE* file) {
  std::string bytes;
  char piece[4096];
  while (size_t count = std::fread(piece, 1, sizeof piece, file)) bytes.append(piece, count);
  std::fclose(file);
  return bytes;
}

}  // namespace

std::optional<std::string> shared_bytes(const std::string& path) {
  if (std::FILE* file = open_shared(path)) return read_all(file);
  std::printf("  skipped: needs %s in the shared folder\n", path.c_str());
  return std::nullopt;
}

std::optional<std::string> made_bytes(const std::string& path, const char* maker) {
  if (std::FILE* file = open_upwards(path)) return read_all(file);
  std::printf("  skipped: needs %s (%s)\n", path.c_str(), maker);
  return std::nullopt;
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

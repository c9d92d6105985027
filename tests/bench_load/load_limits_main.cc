// load_limits RAW LZ4: what the machine does natively with the bytes of two model files, as JSON in bytes a second. On stdin
// a line for each compressed tensor of LZ4: its offset, its bytes in the file and in memory.
#include <sys/mman.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "load_limits.h"

namespace susurrus::bench {
namespace {

constexpr int kRounds = 5;

struct Range {
  size_t offset = 0;
  size_t stored = 0;
  size_t raw = 0;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "load_limits: %s\n", what);
  std::exit(1);
}

std::vector<uint8_t> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty()) fail("no such file");
  return bytes;
}

/// Untouched pages of the system.
class FreshMemory {
 public:
  explicit FreshMemory(size_t byte_count) : byte_count_(byte_count) {
    data_ = mmap(nullptr, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) fail("out of memory");
  }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  ~FreshMemory() { munmap(data_, byte_count_); }
  MutableByteSpan bytes() { return {static_cast<uint8_t*>(data_), byte_count_}; }

 private:
  void* data_ = nullptr;
  size_t byte_count_ = 0;
};

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename Round>
double median(Round&& round) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(round());
  std::sort(times.begin(), times.end());
  return times[kRounds / 2];
}

/// The rate of `work`, which fills `byte_count` bytes of memory: of fresh memory, or of the same again and again.
template <typename Work>
void print_filling(const char* name, size_t byte_count, Work&& work) {
  const double fresh = median([&] {
    FreshMemory memory(byte_count);
    return seconds([&] { work(memory.bytes()); });
  });
  FreshMemory memory(byte_count);
  work(memory.bytes());
  const double touched = median([&] { return seconds([&] { work(memory.bytes()); }); });
  const auto count = static_cast<double>(byte_count);
  std::printf("\"%sFresh\":%.0f,\"%s\":%.0f,", name, count / fresh, name, count / touched);
}

void measure(ByteSpan raw, ByteSpan compressed, const std::vector<Range>& ranges) {
  std::printf("{");
  print_filling("copy", raw.size(),
                [&](MutableByteSpan to) { std::memcpy(to.data(), raw.data(), raw.size()); });
  size_t decoded_bytes = 0;
  for (const Range& range : ranges) decoded_bytes += range.raw;
  if (decoded_bytes > 0) {
    print_filling("lz4", decoded_bytes, [&](MutableByteSpan to) {
      for (const Range& range : ranges) {
        if (!decode_blocks(compressed.subspan(range.offset, range.stored), to.first(range.raw))) {
          fail("a tensor does not decode");
        }
        to = to.subspan(range.raw);
      }
    });
  }
  const auto count = static_cast<double>(raw.size());
  const uint32_t expected = crc32_of(raw);
  const double ours = median([&] { return seconds([&] { crc32_of(raw); }); });
  const double cached = median([&] { return seconds([&] { crc32_of_cached(raw, raw.size()); }); });
  const double zlib = median([&] {
    return seconds([&] {
      if (crc32(0, raw.data(), static_cast<uInt>(raw.size())) != expected) fail("CRCs differ");
    });
  });
  std::printf("\"crc32\":%.0f,\"crc32Cached\":%.0f,\"zlibCrc32\":%.0f}\n", count / ours,
              count / cached, count / zlib);
}

}  // namespace
}  // namespace susurrus::bench

int main(int argc, char** argv) {
  using namespace susurrus::bench;
  if (argc != 3) fail("usage: load_limits RAW LZ4, ranges on stdin");
  const auto raw = read(argv[1]);
  const auto compressed = read(argv[2]);
  std::vector<Range> ranges;
  Range range;
  while (std::scanf("%zu %zu %zu", &range.offset, &range.stored, &range.raw) == 3) {
    if (range.offset > compressed.size() || range.stored > compressed.size() - range.offset) {
      fail("a range lies outside the file");
    }
    ranges.push_back(range);
  }
  measure(raw, compressed, ranges);
}

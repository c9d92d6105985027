// Models in shards: a manifest and the files after it, whatever they say about each other.
#include "container/shards_builder.h"
#include "model_reading.h"
#include "shards_input.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace susurrus::fuzz {
namespace {

Status read_files(DetectingReader& reader, const FuzzInput& input,
                  const std::vector<ByteSpan>& files, Way way) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (input.choice(1)) reader.set_file_byte_count(files[i].size());
    SUSURRUS_RETURN_IF_ERROR(push_all(reader, files[i], input.seed(), way));
    SUSURRUS_RETURN_IF_ERROR(reader.finish());
    const size_t missing = reader.missing_files().size();
    FUZZ_CHECK(missing <= input.file().size());
    if (missing == 0) break;
  }
  return ok_status();
}

uint64_t outcome(const FuzzInput& input, const std::vector<ByteSpan>& files, Way way) {
  DigestSink sink(input.choice(0));
  DetectingReader reader(sink);
  const Status status = read_files(reader, input, files, way);
  if (!status.has_value()) {
    sink.digest.add(status.error());
    FUZZ_CHECK(!reader.push({}).has_value());
  }
  for (const PartFile& file : reader.missing_files()) sink.digest.add(file.name);
  return sink.digest.value();
}

/// Puts what shall stand after the nth `key` of a manifest, digits or a text, in its place.
void set_value(std::string& manifest, std::string_view key, size_t n, const std::string& value) {
  size_t at = 0;
  for (size_t i = 0; at != manifest.npos && i <= n; ++i) at = manifest.find(key, at + (i > 0));
  if (at == manifest.npos) return;
  const size_t begin = at + key.size();
  const size_t end = manifest.find_first_of(",}", begin);
  if (end != manifest.npos) manifest.replace(begin, end - begin, value);
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus::fuzz;
  const FuzzInput input(data, size);
  const std::vector<susurrus::ByteSpan> files = files_of(input.file());
  const uint64_t whole = outcome(input, files, Way::whole);
  FUZZ_CHECK(outcome(input, files, Way::pieces) == whole);
  FUZZ_CHECK(outcome(input, files, Way::pieces_in_place) == whole);
  return 0;
}

/// Half of what is tried has footers that fit, and a manifest that tells them; else nothing would come past the checksums.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace susurrus;
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 2 != 0 || size <= fuzz::FuzzInput::kChoiceBytes) return size;
  const ByteSpan choices = ByteSpan(data, size).last(fuzz::FuzzInput::kChoiceBytes);
  std::vector<testing::Bytes> files;
  for (const ByteSpan file : fuzz::files_of(fuzz::FuzzInput(data, size).file()))
    files.emplace_back(file.begin(), file.end());
  std::string manifest(files[0].begin(), files[0].end());
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i].size() < 16) continue;
    testing::fix_crc(files[i]);
    fuzz::set_value(manifest, "\"size\":", i - 1, std::to_string(files[i].size()));
    fuzz::set_value(manifest, "\"crc32\":", i - 1, '"' + testing::crc_text(files[i]) + '"');
    fuzz::set_value(manifest, "\"footer_crc32\":", i - 1,
                    '"' + testing::footer_crc_text(files[i]) + '"');
  }
  files[0].assign(manifest.begin(), manifest.end());
  testing::Bytes all = fuzz::joined(files);
  all.insert(all.end(), choices.begin(), choices.end());
  if (all.size() > max_size) return size;
  std::copy(all.begin(), all.end(), data);
  return all.size();
}

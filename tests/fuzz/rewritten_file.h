// Files that are described and rewritten in their own format: cutting them changes nothing, and one without gaps comes back.
#pragma once
#include <string>

#include "base/json_document.h"
#include "container/file_describer.h"
#include "convert/file_rewriter.h"
#include "fuzz_input.h"

namespace susurrus::fuzz {

/// Pushes the file into anything that takes bytes, whole or in pieces.
template <typename Push>
Status push_file(const FuzzInput& input, bool is_cut, Push&& push) {
  if (!is_cut) return push(input.file());
  for (Pieces pieces(input.file(), input.seed()); !pieces.is_empty();) {
    SUSURRUS_RETURN_IF_ERROR(push(pieces.next()));
  }
  return ok_status();
}

/// What inspection says of the file, as a digest.
template <typename Describer>
uint64_t description(const FuzzInput& input, bool is_cut) {
  Describer describer;
  if (input.choice(0)) describer.set_file_byte_count(input.file().size());
  Status status = push_file(input, is_cut, [&](ByteSpan bytes) { return describer.push(bytes); });
  if (status.has_value()) status = describer.finish();
  Digest digest;
  if (status.has_value()) {
    const std::string facts = describer.facts();
    FUZZ_CHECK(JsonDocument::parse(facts, {}).has_value());
    digest.add(std::string_view(facts));
  } else {
    digest.add(status.error());
  }
  return digest.value();
}

struct Rewritten {
  Status status = ok_status();
  std::vector<uint8_t> bytes;
  bool has_gaps = false;
  Digest digest;
};

/// Empty when the first bytes are of no such format.
inline Rewritten rewritten(const FuzzInput& input, bool is_cut) {
  Rewritten result;
  const ByteSpan file = input.file();
  const auto rewriter = open_rewriter(file.first(std::min<size_t>(file.size(), 64)), file.size());
  if (rewriter == nullptr) return result;
  const auto drain = [&] {
    const ByteSpan output = rewriter->output();
    result.bytes.insert(result.bytes.end(), output.begin(), output.end());
    rewriter->consume_output();
  };
  for (int pass = 0; result.status.has_value() && !rewriter->is_complete(); ++pass) {
    FUZZ_CHECK(pass < 4);
    rewriter->begin_pass();
    result.status = push_file(input, is_cut, [&](ByteSpan bytes) {
      Status status = rewriter->push(bytes);
      drain();
      return status;
    });
    if (result.status.has_value()) result.status = rewriter->finish_pass();
    drain();
  }
  if (!result.status.has_value()) {
    result.bytes.clear();
    result.digest.add(result.status.error());
    return result;
  }
  result.digest.add(ByteSpan(result.bytes));
  for (const std::string& warning : rewriter->warnings()) {
    result.digest.add(std::string_view(warning));
    result.has_gaps |= warning.starts_with("unused bytes") || warning.ends_with(" are ignored") ||
                       warning == "parts of the file overlap";
  }
  return result;
}

template <typename Describer>
void check_rewritten_file(const FuzzInput& input) {
  FUZZ_CHECK(description<Describer>(input, false) == description<Describer>(input, true));

  const Rewritten whole = rewritten(input, false);
  FUZZ_CHECK(rewritten(input, true).digest.value() == whole.digest.value());
  if (whole.bytes.empty()) return;
  const ByteSpan file = input.file();
  FUZZ_CHECK(whole.has_gaps ||
             std::equal(file.begin(), file.end(), whole.bytes.begin(), whole.bytes.end()));
  // What was written has no gaps.
  std::vector<uint8_t> again = whole.bytes;
  again.resize(again.size() + FuzzInput::kChoiceBytes);
  const Rewritten twice = rewritten(FuzzInput(again.data(), again.size()), false);
  FUZZ_CHECK(twice.status.has_value() && !twice.has_gaps);
  FUZZ_CHECK(twice.bytes == whole.bytes);
}

}  // namespace susurrus::fuzz

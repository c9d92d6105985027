// Lexicons: the same tree of words, or the same error, however the text is cut; and a beam search through it that ends.
#include <cmath>

#include "families/acoustic/beam_search.h"
#include "families/acoustic/lexicon_reader.h"
#include "fuzz_input.h"

namespace susurrus::fuzz {
namespace {

AcousticTokens tokens_of(bool has_replabels) {
  TokenSettings settings;
  settings.is_asg = true;
  settings.replabel = has_replabels ? 2 : 0;
  std::vector<std::string> names = {"|", "a", "b"};
  if (has_replabels) names.insert(names.end(), {"1", "2"});
  auto tokens = AcousticTokens::make(names, settings, names.size());
  FUZZ_CHECK(tokens.has_value());
  return std::move(tokens).value();
}

void add_tree(const Lexicon& lexicon, Digest& digest) {
  for (uint32_t i = 0; i < lexicon.words().size(); ++i) digest.add(lexicon.words().text(i));
  std::vector<uint32_t> open = {Lexicon::kRoot};
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    FUZZ_CHECK(lexicon.labels(node).size() <= Lexicon::kMostLabels);
    for (const uint32_t word : lexicon.labels(node)) {
      FUZZ_CHECK(word < lexicon.words().size());
      digest.add_number(word);
    }
    for (const auto& [token, child] : lexicon.children(node)) {
      FUZZ_CHECK(child > node);
      digest.add_number(token);
      open.push_back(child);
    }
  }
}

/// Through frames that the seed draws.
void add_search(const AcousticTokens& tokens, Lexicon lexicon, uint32_t seed, Digest& digest) {
  const std::vector<float> transitions(tokens.size() * tokens.size());
  const auto vocabulary =
      BeamVocabulary::make(tokens, transitions, {}, std::move(lexicon), std::nullopt);
  FUZZ_CHECK(vocabulary.has_value());
  BeamOptions options;
  options.beam_size = 8;
  AcousticBeamSearch search(**vocabulary, options);
  std::vector<float> frame(tokens.size());
  for (int t = 0; t < 8; ++t) {
    for (float& score : frame) {
      seed = seed * 1664525u + 1013904223u;
      score = static_cast<float>(seed >> 24) / 64;
    }
    search.push(frame);
  }
  search.finish();
  const BeamResult result = search.result();
  FUZZ_CHECK(result.tokens.size() == 8 && std::isfinite(result.score));
  for (const uint32_t token : result.tokens) digest.add_number(token);
}

uint64_t outcome(const FuzzInput& input, bool is_cut) {
  const AcousticTokens tokens = tokens_of(input.choice(0));
  LexiconReader reader(tokens);
  Digest digest;
  Status status = ok_status();
  if (!is_cut) status = reader.push(input.file());
  Pieces pieces(input.file(), input.seed());
  while (is_cut && status.has_value() && !pieces.is_empty()) status = reader.push(pieces.next());
  if (!status.has_value()) {
    digest.add(status.error());
    return digest.value();
  }
  auto lexicon = reader.finish();
  if (!lexicon.has_value()) {
    digest.add(lexicon.error());
    return digest.value();
  }
  digest.add_number(reader.left_out());
  add_tree(*lexicon, digest);
  add_search(tokens, std::move(lexicon).value(), input.seed(), digest);
  return digest.value();
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const susurrus::fuzz::FuzzInput input(data, size);
  FUZZ_CHECK(susurrus::fuzz::outcome(input, true) == susurrus::fuzz::outcome(input, false));
  return 0;
}

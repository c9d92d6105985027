#include "alignment_commands.h"

#include "align/alignment_costs.h"
#include "text/word_split.h"

namespace susurrus::driver {

void split_words(JsonValue request, const Tokenizer& tokenizer, JsonWriter& answer) {
  std::vector<uint32_t> tokens;
  for (JsonValue token : request["tokens"].items()) {
    tokens.push_back(static_cast<uint32_t>(token.unsigned_integer().value_or(0)));
  }
  answer.key("words").begin_array();
  const std::string_view language = request["language"].text().value_or("");
  for (const SplitWord& word : susurrus::split_words(tokenizer, language, tokens)) {
    answer.begin_object()
        .field("word", std::string_view(word.text))
        .field("tokens", std::span<const uint32_t>(word.tokens))
        .end_object();
  }
  answer.end_array();
}

void describe_alignment(JsonValue request, const WordAligner& aligner, JsonWriter& answer) {
  const AlignmentCosts* alignment = aligner.costs();
  if (alignment == nullptr) return;
  answer.key("path").begin_array();
  for (const WarpingStep& step : alignment->path()) {
    // -1 is a column too.
    answer.begin_array();
    for (int32_t place : {step.row, step.column}) answer.value(static_cast<double>(place));
    answer.end_array();
  }
  answer.end_array().key("costs").begin_array();
  for (JsonValue index : request["cost_indices"].items()) {
    const uint64_t at = index.unsigned_integer().value_or(0);
    if (at < alignment->costs().size()) answer.value(alignment->costs()[at]);
  }
  answer.end_array();
}

}  // namespace susurrus::driver

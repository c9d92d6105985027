#include "families/acoustic/beam_vocabulary.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

constexpr uint32_t kMostBeam = 100'000;

Error in_text(std::string_view text, const Error& error) {
  Error placed = error;
  placed.subject = text;
  placed.subject.append(": ");
  placed.subject.append(error.subject.view());
  return placed;
}

Error bad_option(std::string_view name, std::string_view expected) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(name)
      .with_expected(expected);
}

Status check_options(const BeamOptions& options) {
  if (options.beam_size < 1 || options.beam_size > kMostBeam) {
    return bad_option("beamSize", "1 to 100000");
  }
  if (options.beam_size_token < 1) return bad_option("beamSizeToken", "1 or more");
  if (!(options.beam_threshold >= 0)) return bad_option("beamThreshold", "0 or more");
  if (!std::isfinite(options.lm_weight)) return bad_option("lmWeight", "a number");
  if (!std::isfinite(options.word_score)) return bad_option("wordScore", "a number");
  if (!std::isfinite(options.sil_score)) return bad_option("silScore", "a number");
  if (!(options.unk_score < std::numeric_limits<double>::infinity())) {
    return bad_option("unkScore", "a number, or minus infinity");
  }
  return ok_status();
}

}  // namespace

BeamVocabulary::BeamVocabulary(const AcousticTokens& tokens, std::span<const float> transitions,
                               const BeamOptions& options)
    : tokens_(&tokens), transitions_(transitions), options_(options) {
  for (const std::string_view name : {"_", "|"}) {
    for (uint32_t i = 0; i < tokens.size(); ++i) {
      if (tokens.name(i) == name) silence_ = i;
    }
  }
}

Result<std::unique_ptr<BeamVocabulary>> BeamVocabulary::make(const AcousticTokens& tokens,
                                                             std::span<const float> transitions,
                                                             const BeamOptions& options,
                                                             std::string_view lexicon_text,
                                                             std::string_view arpa_text) {
  SUSURRUS_RETURN_IF_ERROR(check_options(options));
  std::unique_ptr<BeamVocabulary> made(new BeamVocabulary(tokens, transitions, options));
  if (!lexicon_text.empty()) {
    auto lexicon = Lexicon::read(lexicon_text, tokens);
    if (!lexicon) return in_text("lexicon", lexicon.error());
    made->lexicon_ = std::move(*lexicon);
  } else {
    made->options_.is_token_model = true;
  }
  if (!arpa_text.empty()) {
    auto model = ArpaModel::read(arpa_text);
    if (!model) return in_text("language model", model.error());
    made->model_ = std::move(*model);
  }
  made->connect();
  return made;
}

void BeamVocabulary::connect() {
  if (!model_) return;
  if (is_token_model()) {
    for (uint32_t i = 0; i < tokens_->size(); ++i) {
      model_words_.push_back(model_->word(tokens_->name(i)));
    }
    return;
  }
  std::vector<float> scores;
  for (const std::string& word : lexicon_->words()) {
    model_words_.push_back(model_->word(word));
    ArpaModel::Context unused;
    scores.push_back(model_->score(model_->begin(), model_words_.back(), unused));
  }
  model_words_.push_back(ArpaModel::kUnknown);
  lexicon_->weigh(scores, options_.smearing);
}

}  // namespace susurrus

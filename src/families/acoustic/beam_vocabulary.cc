#include "families/acoustic/beam_vocabulary.h"

#include <algorithm>

namespace susurrus {

BeamVocabulary::BeamVocabulary(const AcousticTokens& tokens, std::span<const float> transitions,
                               const VocabularyOptions& options)
    : tokens_(&tokens), transitions_(transitions), options_(options) {
  for (const std::string_view name : {"_", "|"}) {
    for (uint32_t i = 0; i < tokens.size(); ++i) {
      if (tokens.name(i) == name) silence_ = i;
    }
  }
}

Result<std::unique_ptr<BeamVocabulary>> BeamVocabulary::make(const AcousticTokens& tokens,
                                                             std::span<const float> transitions,
                                                             const VocabularyOptions& options,
                                                             std::optional<Lexicon> lexicon,
                                                             std::optional<ArpaModel> model) {
  std::unique_ptr<BeamVocabulary> made(new BeamVocabulary(tokens, transitions, options));
  if (!lexicon) made->options_.is_token_model = true;
  made->lexicon_ = std::move(lexicon);
  made->model_ = std::move(model);
  SUSURRUS_RETURN_IF_ERROR(made->connect());
  return made;
}

Status BeamVocabulary::connect() {
  if (!model_) return ok_status();
  if (is_token_model()) {
    for (uint32_t i = 0; i < tokens_->size(); ++i) {
      model_words_.push_back(model_->word(tokens_->name(i)));
    }
  } else {
    const WordTable& words = lexicon_->words();
    for (uint32_t i = 0; i < words.size(); ++i) model_words_.push_back(model_->word(words.text(i)));
  }
  if (std::ranges::count(model_words_, ArpaModel::kUnknown) == std::ssize(model_words_)) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("languageModel")
        .with_expected(is_token_model() ? "a model of the tokens, or a lexicon for one of words"
                                        : "a model that has words of the lexicon");
  }
  if (is_token_model()) return ok_status();
  std::vector<float> scores;
  for (const uint32_t word : model_words_) {
    ArpaModel::Context unused;
    scores.push_back(model_->score(model_->begin(), word, unused));
  }
  model_words_.push_back(ArpaModel::kUnknown);
  lexicon_->weigh(scores, options_.smearing);
  return ok_status();
}

uint64_t BeamVocabulary::byte_count() const {
  return (lexicon_ ? lexicon_->byte_count() : 0) + (model_ ? model_->byte_count() : 0);
}

}  // namespace susurrus

#include "families/acoustic/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "families/acoustic/log_total.h"

namespace susurrus {
namespace {

/// Steps and histories that are not worth tidying.
constexpr size_t kFewEntries = 1 << 16;

}  // namespace

AcousticBeamSearch::AcousticBeamSearch(const BeamVocabulary& vocabulary, const BeamOptions& options)
    : vocabulary_(&vocabulary),
      options_(options),
      histories_(vocabulary.model(), vocabulary.model_words()),
      beam_(1),
      steps_(1),
      next_tidying_(kFewEntries) {
  beam_[0].token = vocabulary.silence();
}

void AcousticBeamSearch::push(std::span<const float> emissions) {
  const size_t count = vocabulary_->tokens().size();
  for (; !emissions.empty(); emissions = emissions.subspan(count)) advance(emissions.first(count));
}

void AcousticBeamSearch::advance(std::span<const float> frame) {
  choose_tokens(frame);
  best_ = -std::numeric_limits<double>::infinity();
  candidates_.clear();
  for (const Hypothesis& before : beam_) {
    if (vocabulary_->lexicon() != nullptr) {
      extend_words(frame, before);
    } else {
      extend_tokens(frame, before);
    }
  }
  store();
  const double total = log_total(frame);
  for (Hypothesis& kept : beam_) {
    const double log_probability = static_cast<double>(frame[kept.token]) - total;
    steps_.push_back({kept.step, kept.token, kept.word, static_cast<float>(log_probability)});
    kept.step = static_cast<uint32_t>(steps_.size() - 1);
  }
  is_first_ = false;
  if (steps_.size() + histories_.size() > next_tidying_) tidy();
}

void AcousticBeamSearch::choose_tokens(std::span<const float> frame) {
  tokens_.resize(frame.size());
  std::iota(tokens_.begin(), tokens_.end(), 0u);
  const size_t most = options_.beam_size_token;
  is_tried_.assign(frame.size(), frame.size() <= most);
  if (frame.size() <= most) return;
  const auto end = tokens_.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(tokens_.begin(), end, tokens_.end(), [&](uint32_t a, uint32_t b) {
    return frame[a] != frame[b] ? frame[a] > frame[b] : a < b;
  });
  tokens_.resize(most);
  std::ranges::sort(tokens_);
  for (const uint32_t token : tokens_) is_tried_[token] = true;
}

double AcousticBeamSearch::emission(std::span<const float> frame, const Hypothesis& before,
                                    uint32_t token) const {
  const auto score = static_cast<double>(frame[token]);
  const auto transitions = vocabulary_->transitions();
  if (is_first_ || transitions.empty()) return score;
  return score + static_cast<double>(transitions[token * frame.size() + before.token]);
}

void AcousticBeamSearch::extend_words(std::span<const float> frame, const Hypothesis& before) {
  const bool is_ctc = vocabulary_->transitions().empty();
  for (const Lexicon::Child& child : vocabulary_->lexicon()->children(before.node)) {
    if (is_tried_[child.token]) extend_child(before, child, emission(frame, before, child.token));
  }
  const bool is_root = before.node == Lexicon::kRoot;
  if (!is_ctc || !before.is_blank || is_root) {
    const uint32_t token = is_root ? vocabulary_->silence() : before.token;
    const double score = emission(frame, before, token);
    add(before, token, score, score + silence_score(token), 0, before.history, before.node, false);
  }
  if (is_ctc) {
    const uint32_t blank = vocabulary_->tokens().blank();
    const auto score = static_cast<double>(frame[blank]);
    add(before, blank, score, score, 0, before.history, before.node, true);
  }
}

void AcousticBeamSearch::extend_child(const Hypothesis& before, const Lexicon::Child& child,
                                      double emission) {
  const Lexicon& lexicon = *vocabulary_->lexicon();
  const bool is_ctc = vocabulary_->transitions().empty();
  const bool of_tokens = vocabulary_->is_token_model();
  const bool is_root = before.node == Lexicon::kRoot;
  const float score_so_far = is_root ? 0 : lexicon.score(before.node);
  const uint32_t token = child.token;
  const double gain = emission + silence_score(token);
  // With a language model of tokens, each token is scored.
  uint32_t token_history = before.history;
  double token_score = 0;
  if (of_tokens) {
    token_history = histories_.child(before.history, token);
    token_score = static_cast<double>(histories_.score(token_history));
  }
  const bool is_new = !is_ctc || before.is_blank || token != before.token;
  if (is_new && !lexicon.children(child.node).empty()) {
    const double score =
        of_tokens ? token_score : static_cast<double>(lexicon.score(child.node) - score_so_far);
    add(before, token, emission, gain, score, token_history, child.node, false);
  }
  const auto end_word = [&](uint32_t word, double added) {
    uint32_t history = token_history;
    double score = token_score;
    if (!of_tokens) {
      history = histories_.child(before.history, word);
      score = static_cast<double>(histories_.score(history) - score_so_far);
    }
    add(before, token, emission, gain + added, score, history, Lexicon::kRoot, false, word);
  };
  const auto labels = lexicon.labels(child.node);
  // A word of one token is not written again as long as the token lasts.
  const bool is_same_word = is_root && before.token == token;
  for (const uint32_t word : labels) {
    if (!is_same_word) end_word(word, options_.word_score);
  }
  if (labels.empty() && options_.unk_score) {
    end_word(vocabulary_->unknown_word(), *options_.unk_score);
  }
}

void AcousticBeamSearch::extend_tokens(std::span<const float> frame, const Hypothesis& before) {
  const bool is_ctc = vocabulary_->transitions().empty();
  const uint32_t blank = vocabulary_->tokens().blank();
  for (const uint32_t token : tokens_) {
    const double score = emission(frame, before, token);
    // flashlight does not count transitions here.
    const double gain = static_cast<double>(frame[token]) + silence_score(token);
    const bool is_blank = is_ctc && token == blank;
    const bool is_repeated = token == before.token && !(is_ctc && before.is_blank);
    if (is_blank || is_repeated) {
      add(before, token, score, gain, 0, before.history, Lexicon::kRoot, is_blank);
      continue;
    }
    const uint32_t history = histories_.child(before.history, token);
    add(before, token, score, gain, static_cast<double>(histories_.score(history)), history,
        Lexicon::kRoot, false);
  }
}

void AcousticBeamSearch::add(const Hypothesis& before, uint32_t token, double emission, double gain,
                             double language, uint32_t history, uint32_t node, bool is_blank,
                             uint32_t word) {
  const double score = before.score + gain + options_.lm_weight * language;
  best_ = std::max(best_, score);
  if (!(score >= best_ - options_.beam_threshold)) return;
  candidates_.push_back({score, before.emission_score + emission, before.language_score + language,
                         history, node, token, is_blank, before.step, word});
}

void AcousticBeamSearch::store() {
  order_.clear();
  for (uint32_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].score >= best_ - options_.beam_threshold) order_.push_back(i);
  }
  const auto key = [this](uint32_t i) {
    const Hypothesis& one = candidates_[i];
    return std::tuple(one.history, one.node, one.token, one.is_blank);
  };
  const auto is_better = [this](uint32_t a, uint32_t b) {
    const double first = candidates_[a].score;
    const double second = candidates_[b].score;
    return first != second ? first > second : a < b;
  };
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    const auto first = key(a);
    const auto second = key(b);
    return first != second ? first < second : is_better(a, b);
  });
  size_t count = 0;
  for (const uint32_t i : order_) {
    if (count == 0 || key(order_[count - 1]) != key(i)) {
      order_[count++] = i;
    } else if (options_.log_add && std::isfinite(candidates_[i].score)) {
      double& score = candidates_[order_[count - 1]].score;
      score += std::log1p(std::exp(candidates_[i].score - score));
    }
  }
  order_.resize(count);
  const size_t kept = std::min<size_t>(count, options_.beam_size);
  std::ranges::partial_sort(order_, order_.begin() + static_cast<std::ptrdiff_t>(kept), is_better);
  beam_.clear();
  for (size_t i = 0; i < kept; ++i) beam_.push_back(candidates_[order_[i]]);
}

void AcousticBeamSearch::finish() {
  const bool has_whole =
      std::ranges::any_of(beam_, [](const Hypothesis& one) { return one.node == Lexicon::kRoot; });
  best_ = -std::numeric_limits<double>::infinity();
  candidates_.clear();
  for (const Hypothesis& before : beam_) {
    if (has_whole && before.node != Lexicon::kRoot) continue;
    add(before, vocabulary_->silence(), 0, 0,
        static_cast<double>(histories_.end_score(before.history)), before.history, before.node,
        false);
  }
  store();
}

BeamResult AcousticBeamSearch::result(size_t index) const {
  const Hypothesis& hypothesis = beam_[index];
  BeamResult result{
      hypothesis.score, hypothesis.emission_score, hypothesis.language_score, {}, {}, {}};
  for (uint32_t at = hypothesis.step; steps_[at].parent != kNone; at = steps_[at].parent) {
    result.tokens.push_back(steps_[at].token);
    result.words.push_back(steps_[at].word);
    result.log_probabilities.push_back(steps_[at].log_probability);
  }
  std::ranges::reverse(result.tokens);
  std::ranges::reverse(result.words);
  std::ranges::reverse(result.log_probabilities);
  return result;
}

size_t AcousticBeamSearch::final_count() const {
  // All hypotheses have as many steps.
  std::vector<uint32_t> heads;
  for (const Hypothesis& one : beam_) heads.push_back(one.step);
  for (;;) {
    std::ranges::sort(heads);
    const auto rest = std::ranges::unique(heads);
    heads.erase(rest.begin(), rest.end());
    if (heads.size() == 1) break;
    for (uint32_t& head : heads) head = steps_[head].parent;
  }
  size_t count = 0;
  for (uint32_t at = heads[0]; steps_[at].parent != kNone; at = steps_[at].parent) ++count;
  return count;
}

void AcousticBeamSearch::tidy() {
  std::vector<uint32_t> used;
  for (const Hypothesis& one : beam_) used.push_back(one.history);
  histories_.keep(used);
  std::vector<uint32_t> numbers(steps_.size());
  for (size_t i = 0; i < beam_.size(); ++i) {
    beam_[i].history = used[i];
    numbers[beam_[i].step] = 1;
  }
  for (size_t i = steps_.size(); i-- > 1;) {
    if (numbers[i] != 0) numbers[steps_[i].parent] = 1;
  }
  uint32_t count = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (numbers[i] == 0) continue;
    numbers[i] = count;
    Step step = steps_[i];
    if (step.parent != kNone) step.parent = numbers[step.parent];
    steps_[count++] = step;
  }
  steps_.resize(count);
  for (Hypothesis& one : beam_) one.step = numbers[one.step];
  next_tidying_ = 2 * (steps_.size() + histories_.size()) + kFewEntries;
}

uint64_t AcousticBeamSearch::byte_count() const {
  return steps_.capacity() * sizeof(Step) +
         (beam_.capacity() + candidates_.capacity()) * sizeof(Hypothesis);
}

}  // namespace susurrus

#include "decode/beam.h"

#include <algorithm>
#include <cmath>

#include "base/sort.h"

namespace susurrus {

size_t beam_candidate_count(uint32_t beam_size, std::optional<double> patience) {
  const double factor = patience.value_or(1.0) == 0 ? 1.0 : patience.value_or(1.0);
  return static_cast<size_t>(std::nearbyint(beam_size * factor));
}

BeamSearch::BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                       uint32_t beam_size, size_t max_candidates)
    : kernels_(kernels),
      end_of_text_(end_of_text),
      max_tokens_(max_tokens),
      beam_size_(beam_size),
      max_candidates_(max_candidates),
      top_(beam_size + 1),
      finished_(max_candidates) {
  for (Beams* beams : {&now_, &next_}) {
    beams->tokens.resize(beam_size * max_tokens);
    beams->logprobs.resize(beam_size * max_tokens);
    beams->sums.reserve(beam_size);
  }
  now_.sums.push_back(0);
  continuations_.reserve(size_t{beam_size} * (beam_size + 1));
  for (TokenCandidate& one : finished_) {
    one.tokens.reserve(max_tokens);
    one.token_logprobs.reserve(max_tokens);
  }
  sources_.reserve(beam_size);
  last_tokens_.reserve(beam_size);
}

BeamSearch::BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                       uint32_t beam_size, ClosedVocabulary /*closed*/)
    : BeamSearch(kernels, end_of_text, max_tokens, beam_size, 1) {
  is_closed_ = true;
}

bool BeamSearch::choose(std::span<const std::span<const float>> rows) {
  rank_continuations(rows);
  // Everything forbidden: what there is now is the end.
  if (continuations_.empty()) return true;
  next_.sums.clear();
  sources_.clear();
  last_tokens_.clear();
  for (const Continuation& continuation : continuations_) {
    if (continuation.token == end_of_text_) {
      add_candidate(continuation);
    } else {
      add_beam(continuation);
      if (next_.sums.size() == beam_size_) break;
    }
  }
  std::swap(now_, next_);
  ++length_;
  return is_ended();
}

bool BeamSearch::is_ended() const {
  if (now_.sums.empty() || length_ == max_tokens_) return true;
  // More tokens only make a sequence less probable.
  if (is_closed_) return finished_count_ > 0 && finished_[0].sum_logprob >= now_.sums[0];
  return finished_count_ == max_candidates_;
}

void BeamSearch::rank_continuations(std::span<const std::span<const float>> rows) {
  continuations_.clear();
  for (size_t source = 0; source < now_.sums.size(); ++source) {
    const size_t count = top_logits(kernels_, rows[source], top_);
    if (count == 0) continue;
    const LogSoftmax log_softmax(kernels_, rows[source], top_[0].logit);
    bool is_best = true;
    for (const RankedLogit& top : std::span(top_).first(count)) {
      const float logprob = log_softmax(top.logit);
      continuations_.push_back({now_.sums[source] + logprob, logprob, static_cast<uint32_t>(source),
                                top.token, static_cast<uint32_t>(continuations_.size()), is_best});
      is_best = false;
    }
  }
  heap_sort(continuations_, [](const Continuation& a, const Continuation& b) {
    return a.sum != b.sum ? a.sum > b.sum : a.order < b.order;
  });
}

void BeamSearch::add_candidate(const Continuation& end) {
  if (is_closed_) {
    if (!end.is_best) return;
    if (finished_count_ == 1 && finished_[0].sum_logprob >= end.sum) return;
    finished_count_ = 0;
  }
  if (finished_count_ == max_candidates_) return;
  TokenCandidate& one = finished_[finished_count_++];
  auto tokens = this->tokens(end.source);
  const float* logprobs = now_.logprobs.data() + end.source * max_tokens_;
  one.tokens.assign(tokens.begin(), tokens.end());
  one.token_logprobs.assign(logprobs, logprobs + length_);
  one.sum_logprob = end.sum;
}

void BeamSearch::add_beam(const Continuation& next) {
  const size_t from = next.source * max_tokens_;
  const size_t to = next_.sums.size() * max_tokens_;
  std::copy_n(now_.tokens.data() + from, length_, next_.tokens.data() + to);
  std::copy_n(now_.logprobs.data() + from, length_, next_.logprobs.data() + to);
  next_.tokens[to + length_] = next.token;
  next_.logprobs[to + length_] = next.logprob;
  next_.sums.push_back(next.sum);
  sources_.push_back(next.source);
  last_tokens_.push_back(next.token);
}

std::vector<TokenCandidate> BeamSearch::finish() {
  finished_.resize(finished_count_);
  const size_t wanted = is_closed_ ? 1 : beam_size_;
  if (finished_.size() < wanted) {
    std::vector<size_t> order(now_.sums.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // numpy's argsort read backwards: of equals the last comes first.
    heap_sort(order, [this](size_t a, size_t b) {
      return now_.sums[a] != now_.sums[b] ? now_.sums[a] > now_.sums[b] : a > b;
    });
    for (size_t i = 0; i < order.size() && finished_.size() < wanted; ++i) {
      const float* logprobs = now_.logprobs.data() + order[i] * max_tokens_;
      auto tokens = this->tokens(order[i]);
      finished_.push_back(
          {{tokens.begin(), tokens.end()}, {logprobs, logprobs + length_}, now_.sums[order[i]]});
    }
  }
  return std::move(finished_);
}

}  // namespace susurrus

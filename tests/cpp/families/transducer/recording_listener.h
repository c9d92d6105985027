// Keeps the events of a transducer as text.
#pragma once
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "families/transducer/transducer_search.h"

namespace susurrus::testing {

/// "partial: [ a] 1 @40 5.00" and "final: …", "silence": of each token its text, flags, time and logit.
class RecordingListener final : public TransducerListener {
 public:
  explicit RecordingListener(const TransducerVocabulary& vocabulary) : vocabulary_(&vocabulary) {}

  void on_event(const TransducerEvent& event) override {
    using Type = TransducerEvent::Type;
    std::string text = event.type == Type::partial ? "partial:"
                       : event.type == Type::final ? "final:"
                                                   : "silence";
    for (const TransducerToken& token : event.tokens) {
      char numbers[80];
      std::snprintf(numbers, sizeof numbers, "] %d @%d %.2f", token.flags,
                    static_cast<int>(token.time_ms), static_cast<double>(token.logit));
      text += " [" + std::string(vocabulary_->text(token.id)) + numbers;
    }
    events.push_back(text);
    times.push_back(event.now_ms);
  }

  /// What came since the last call.
  std::vector<std::string> take() { return std::exchange(events, {}); }

  std::vector<std::string> events;
  std::vector<uint64_t> times;

 private:
  const TransducerVocabulary* vocabulary_;
};

}  // namespace susurrus::testing

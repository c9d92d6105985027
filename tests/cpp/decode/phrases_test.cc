// Phrases made likelier, and phrases to which text is restricted.
#include <limits>
#include <string>
#include <vector>

#include "decode/allowed_phrases.h"
#include "decode/beam.h"
#include "decode/greedy.h"
#include "decode/hotword_bias.h"
#include "decode/phrase_tokens.h"
#include "decode/phrase_vocabulary.h"
#include "decode/sampling.h"
#include "decode/timestamp_rules.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::phrases_test {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

const PhraseVocabulary& words() {
  static const PhraseVocabulary vocabulary(
      {" New", " York", " Jersey", "New", " news", " old", "old", " on", "on", " off", "off",
       " light", " ha", "ha", ".", " up",
       // What merges on the way to these are tokens too.
       "\xE6\x9D", "東", "\xE4\xBA", "京", "\xE5\xA4", "大", "東京"});
  return vocabulary;
}

HotwordBias bias(const std::vector<WeightedPhrase>& phrases) {
  return HotwordBias(words().tokenizer, phrases);
}

/// What may come next.
std::string next(const AllowedPhrases& filter, std::string_view sampled) {
  return words().changes(filter, sampled, kForbidden);
}

AllowedPhrases allowed(const std::vector<std::string>& phrases, size_t max_tokens = 100) {
  return AllowedPhrases(words().tokenizer, phrases, max_tokens);
}

}  // namespace

SUSURRUS_TEST(phrases_are_spelt_with_and_without_a_space) {
  const auto spelt = phrase_tokens(words().tokenizer, "  New York ");
  EXPECT_TRUE(spelt.spaced == words().tokens(" New| York"));
  EXPECT_TRUE(spelt.bare == words().tokens("New| York"));
  EXPECT_FALSE(spelt.is_unspaced);
  for (const char* phrase : {"東京", "「東京」", "3月", "สวัสดี", "カメラ"}) {
    EXPECT_TRUE(phrase_tokens(words().tokenizer, phrase).is_unspaced);
  }
  for (const char* phrase : {"T恤", "3 May", "안녕", "3"}) {
    EXPECT_FALSE(phrase_tokens(words().tokenizer, phrase).is_unspaced);
  }
  EXPECT_TRUE(phrase_tokens(words().tokenizer, " \n").bare.empty());
}

SUSURRUS_TEST(a_trie_shares_beginnings) {
  TokenTrie trie;
  const uint32_t long_end = trie.add(std::vector<uint32_t>{5, 3, 9});
  const uint32_t short_end = trie.add(std::vector<uint32_t>{5, 3});
  trie.add(std::vector<uint32_t>{5, 2});
  EXPECT_EQ(trie.node_count(), 5u);
  EXPECT_EQ(trie.depth(), 3u);
  const uint32_t five = trie.next(TokenTrie::kRoot, 5).value();
  EXPECT_EQ(trie.next(five, 3).value(), short_end);
  EXPECT_EQ(trie.next(short_end, 9).value(), long_end);
  EXPECT_FALSE(trie.next(five, 9).has_value());
  ASSERT_EQ(trie.edges(five).size(), 2u);
  EXPECT_EQ(trie.edges(five)[0].token, 2u);
}

SUSURRUS_TEST(hotwords_are_likelier_from_word_to_word) {
  const auto filter = bias({{"New York", 3}});
  // The first word: spaced anywhere, bare only where a word can begin without a space.
  EXPECT_EQ(words().changes(filter, ""), "' New'=3 'New'=3");
  EXPECT_EQ(words().changes(filter, "<0>"), "' New'=3 'New'=3");
  EXPECT_EQ(words().changes(filter, "<0> old"), "' New'=3");
  EXPECT_EQ(words().changes(filter, " old|."), "' New'=3 'New'=3");
  EXPECT_EQ(words().changes(filter, " old| "), "' New'=3 'New'=3");
  // The next word, after the beginning of the phrase and nothing else.
  EXPECT_EQ(words().changes(filter, " old| New"), "' New'=3 ' York'=3");
  EXPECT_EQ(words().changes(filter, "New"), "' New'=3 ' York'=3");
  EXPECT_EQ(words().changes(filter, " New| York"), "' New'=3");
  EXPECT_EQ(words().changes(filter, " New<3>"), "' New'=3 'New'=3");
  // A bare beginning in the middle of a word does not count.
  EXPECT_EQ(words().changes(filter, " old|New"), "' New'=3");
}

SUSURRUS_TEST(a_letter_spread_over_tokens_is_a_letter) {
  const auto filter = bias({{"New", 3}});
  // é, then the quotation mark “, in bytes.
  EXPECT_EQ(words().changes(filter, " old|\xC3|\xA9"), "' New'=3");
  EXPECT_EQ(words().changes(filter, " old|\xE2|\x80|\x9C"), "' New'=3 'New'=3");
  // No word begins in the middle of a character.
  EXPECT_EQ(words().changes(filter, " old|\xE2|\x80"), "' New'=3");
}

SUSURRUS_TEST(shared_beginnings_count_once) {
  // The larger weight where phrases share a token, whether within one trie or from two beginnings.
  EXPECT_EQ(words().changes(bias({{"New York", 3}, {"New Jersey", 5}}), " New"),
            "' New'=5 ' York'=3 ' Jersey'=5");
  EXPECT_EQ(words().changes(bias({{"ha ha ha", 2}}), " ha| ha"), "' ha'=2");
  EXPECT_EQ(words().changes(bias({{"ha ha", 2}, {"ha", 5}}), " ha"), "' ha'=5");
}

SUSURRUS_TEST(unwanted_phrases_are_only_kept_from_being_completed) {
  const auto filter = bias({{"New York", -4}});
  EXPECT_EQ(words().changes(filter, ""), "");
  EXPECT_EQ(words().changes(filter, " New"), "' York'=-4");
  // A single word is complete at once; a wish is stronger than a dislike.
  EXPECT_EQ(words().changes(bias({{"old", -4}}), " on"), "' old'=-4");
  EXPECT_EQ(words().changes(bias({{"New York", 4}, {"New", -2}}), " on"), "' New'=4");
}

SUSURRUS_TEST(scripts_without_spaces_have_hotwords_anywhere) {
  const auto filter = bias({{"東京大", 2}});
  EXPECT_EQ(words().changes(filter, "大"), "'東京'=2");
  EXPECT_EQ(words().changes(filter, "大|東京"), "'大'=2 '東京'=2");
  EXPECT_EQ(words().changes(filter, ""), "'東京'=2");
}

SUSURRUS_TEST(hotwords_leave_forbidden_tokens_forbidden) {
  const auto filter = bias({{"New York", 3}});
  std::vector<float> logits(words().tokenizer.special().end(), kForbidden);
  filter.apply(logits, {});
  for (float logit : logits) EXPECT_EQ(logit, kForbidden);
  // Fewer logits than ids.
  std::vector<float> few(10, 0.0f);
  filter.apply(few, {});
  EXPECT_EQ(few[9], 0.0f);
  EXPECT_EQ(words().changes(bias({{" ", 3}}), ""), "");
}

SUSURRUS_TEST(text_is_made_of_allowed_phrases) {
  const auto filter = allowed({"light on", "light off", "New"});
  // "light" has no bare token of its own: it is spelt in bytes.
  EXPECT_EQ(next(filter, ""), "'l' ' New' 'New' ' light' END <>");
  EXPECT_EQ(next(filter, "<0>"), "'l' ' New' 'New' ' light' END <>");
  EXPECT_EQ(next(filter, "<0> light"), "' on' ' off'");
  EXPECT_EQ(next(filter, "l|i|g|h|t"), "' on' ' off'");
  EXPECT_EQ(next(filter, "<0> light| on"), "' New' ' light' END <>");
  EXPECT_EQ(next(filter, "<0> light| on| New"), "' New' ' light' END <>");
  EXPECT_EQ(next(filter, "<0> light| on<4><4>"), "'l' ' New' 'New' ' light' END <>");
  // No way there.
  EXPECT_EQ(next(filter, " old"), "");
}

SUSURRUS_TEST(allowed_phrases_may_begin_alike) {
  // " New York" may be one phrase or two.
  const auto filter = allowed({"New", "New York", "York Jersey"});
  EXPECT_EQ(next(filter, " New"), "' New' ' York' END <>");
  EXPECT_EQ(next(filter, " New| York"), "' New' ' York' ' Jersey' END <>");
  EXPECT_EQ(next(filter, " New| York| York"), "' Jersey'");
}

SUSURRUS_TEST(allowed_phrases_of_scripts_without_spaces_follow_one_another) {
  const auto filter = allowed({"東京", "大"});
  EXPECT_EQ(next(filter, ""), "'大' '東京' END <>");
  EXPECT_EQ(next(filter, "東京"), "'大' '東京' END <>");
  EXPECT_EQ(next(filter, "東京<3><3>"), "'大' '東京' END <>");
  EXPECT_EQ(next(filter, "東京| "), "");
  // Others keep one.
  const auto mixed = allowed({"東京", "New"});
  EXPECT_EQ(next(mixed, "東京"), "' New' '東京' END <>");
  EXPECT_EQ(next(mixed, "東京| New"), "' New' '東京' END <>");
}

SUSURRUS_TEST(no_allowed_phrase_begins_that_does_not_fit) {
  const auto filter = allowed({"light on", "New", "on off up"}, 4);
  EXPECT_EQ(next(filter, " New"), "' New' ' on' ' light' END <>");
  EXPECT_EQ(next(filter, " New| New"), "' New' ' light' END <>");
  EXPECT_EQ(next(filter, " New| New| New"), "' New' END <>");
  EXPECT_EQ(next(filter, " New| New| New| New"), "END <>");
  // One that was begun goes on.
  EXPECT_EQ(next(filter, " New| New| light"), "' on'");
}

SUSURRUS_TEST(allowed_phrases_know_their_tokens_and_where_to_cut) {
  const auto filter = allowed({"on", "New York"});
  EXPECT_TRUE(filter.tokens() == words().tokens(" New| York|New| on|on"));
  const auto cut = [&](std::string_view text) {
    return filter.complete_length(words().tokens(text));
  };
  EXPECT_EQ(cut(""), 0u);
  EXPECT_EQ(cut("<0>"), 0u);
  EXPECT_EQ(cut("<0> New"), 0u);
  EXPECT_EQ(cut("<0> New| York"), 3u);
  EXPECT_EQ(cut("<0> New| York| New"), 3u);
  EXPECT_EQ(cut("<0> on<2>"), 3u);
  EXPECT_EQ(cut("<0> on<2><2>"), 3u);
  EXPECT_EQ(cut("<0> on<2><2> New"), 3u);
  EXPECT_EQ(cut("<0> on<2><2> New| York<5>"), 7u);
  EXPECT_EQ(cut(" on| old"), 1u);
}

SUSURRUS_TEST(every_search_stays_within_the_allowed_phrases) {
  const auto filter = allowed({"light on", "light off", "New York Jersey", "ha"}, 12);
  const SpecialTokens& special = words().tokenizer.special();
  const TimestampRules rules(default_kernels(), special, 5);
  uint32_t state = 1;
  for (int round = 0; round < 60 && !current_case_failed(); ++round) {
    GreedySearch greedy(default_kernels(), special.end_of_text, 12);
    SamplingSearch sampling(default_kernels(), special.end_of_text, 12, 1.0, 3,
                            static_cast<uint64_t>(round));
    BeamSearch beam(default_kernels(), special.end_of_text, 12, 4, 4);
    for (TokenSearch* search :
         {static_cast<TokenSearch*>(&greedy), static_cast<TokenSearch*>(&sampling),
          static_cast<TokenSearch*>(&beam)}) {
      std::vector<std::vector<float>> logits;
      do {
        logits.assign(search->sequence_count(), std::vector<float>(special.end() + 2));
        for (size_t i = 0; i < logits.size(); ++i) {
          for (float& logit : logits[i]) {
            state = state * 1664525u + 1013904223u;
            logit = static_cast<float>(state >> 8) / 4194304.0f;
          }
          filter.apply(logits[i], search->tokens(i));
          if (round % 2 == 0) {
            rules.apply(logits[i], search->tokens(i));
          } else {
            forbid_range(logits[i], special.timestamp_begin, special.end());
          }
        }
      } while (!search->choose(std::vector<std::span<const float>>(logits.begin(), logits.end())));
      for (const TokenCandidate& one : search->finish()) {
        size_t expected = one.tokens.size();
        // A segment that was opened last, and has no text yet.
        if (expected > 0 && special.is_timestamp(one.tokens.back()) &&
            filter.complete_length(one.tokens) == expected - 1) {
          --expected;
        }
        EXPECT_EQ(filter.complete_length(one.tokens), expected);
      }
    }
  }
}

SUSURRUS_TEST(phrase_filters_allocate_nothing) {
  const auto hotwords = bias({{"New York", 3}, {"New Jersey", -2}, {"東京大", 2}});
  const auto filter = allowed({"light on", "New", "New York", "York Jersey", "東京"});
  std::vector<float> logits(words().tokenizer.special().end());
  const auto sampled = words().tokens("<0> New| York| New<3><3>東京|東京| New");
  const uint64_t before = allocation_count();
  for (size_t length = 0; length <= sampled.size(); ++length) {
    hotwords.apply(logits, std::span(sampled).first(length));
    filter.apply(logits, std::span(sampled).first(length));
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace susurrus::testing::phrases_test

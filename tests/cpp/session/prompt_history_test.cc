// Which of a recording's tokens prompt its next window.
#include "session/prompt_history.h"

#include <numeric>

#include "harness.h"

namespace susurrus::testing::prompt_history_test {
namespace {

using Tokens = std::vector<uint32_t>;

/// first, first + 1, …
Tokens run(uint32_t first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

}  // namespace

SUSURRUS_TEST(an_initial_prompt_is_the_text_before_the_first_window) {
  PromptHistory history({1, 2}, false, 20);
  EXPECT_TRUE(history.prompt() == (Tokens{1, 2}));
  history.append(Tokens{3, 4});
  EXPECT_TRUE(history.prompt() == (Tokens{1, 2, 3, 4}));
  history.forget();
  EXPECT_TRUE(history.prompt().empty());
  history.append(Tokens{5});
  EXPECT_TRUE(history.prompt() == (Tokens{5}));
  // It is not text.
  EXPECT_TRUE(Tokens(history.text().begin(), history.text().end()) == (Tokens{3, 4, 5}));
}

SUSURRUS_TEST(a_carried_prompt_stands_before_every_window) {
  PromptHistory history({1, 2}, true, 20);
  EXPECT_TRUE(history.prompt() == (Tokens{1, 2}));
  history.append(Tokens{3, 4});
  history.forget();
  EXPECT_TRUE(history.prompt() == (Tokens{1, 2}));
  history.append(run(10, 9));
  // Nine tokens in all: seven beside it.
  EXPECT_TRUE(history.prompt() == (Tokens{1, 2, 12, 13, 14, 15, 16, 17, 18}));
}

SUSURRUS_TEST(a_carried_prompt_without_room_beside_it_is_cut_as_the_reference_cuts) {
  // Exactly full: everything that follows counts, and the decoder keeps the end of it.
  PromptHistory full(run(1, 9), true, 20);
  full.append(run(100, 3));
  Tokens expected = run(1, 9);
  for (uint32_t token : {100, 101, 102}) expected.push_back(token);
  EXPECT_TRUE(full.prompt() == expected);
  // Two too long: the first two of the text are missing.
  PromptHistory over(run(1, 11), true, 20);
  over.append(run(100, 3));
  expected = run(1, 11);
  expected.push_back(102);
  EXPECT_TRUE(over.prompt() == expected);
  over.forget();
  over.append(run(200, 1));
  EXPECT_TRUE(over.prompt() == run(1, 11));
}

SUSURRUS_TEST(a_long_history_gives_the_end_of_it) {
  PromptHistory history({}, false, 20);
  history.append(run(0, 1000));
  EXPECT_TRUE(history.prompt() == run(991, 9));
  EXPECT_EQ(history.text().size(), 1000u);
}

}  // namespace susurrus::testing::prompt_history_test

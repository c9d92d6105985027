// Flags of BW2L files that say how a model is run.
#include "families/acoustic/acoustic_settings.h"

#include "harness.h"

namespace susurrus::testing::acoustic_settings_test {
namespace {

Bw2lModel model_with(const std::vector<std::pair<std::string, std::string>>& flags) {
  Bw2lModel model;
  Bw2lSection& section = model.sections.emplace_back();
  section.name = "flags";
  section.type = "keyval";
  for (const auto& [key, value] : flags) section.pairs.push_back({key, value, 40});
  return model;
}

Result<AcousticSettings> settings_of(const Bw2lModel& model) {
  std::vector<std::string> warnings;
  auto settings = read_bw2l_settings(model, {}, warnings);
  if (!settings) return settings.error();
  return read_acoustic_settings(model, *settings);
}

void expect_refused(const char* flag, const char* value, std::string_view subject,
                    ErrorCode code = ErrorCode::malformed) {
  const auto settings = settings_of(model_with({{flag, value}}));
  ASSERT_FALSE(settings.has_value());
  EXPECT_TRUE(settings.error().code == code);
  EXPECT_EQ(settings.error().subject.view(), subject);
}

}  // namespace

SUSURRUS_TEST(acoustic_settings_have_the_defaults_of_the_flags) {
  auto settings = settings_of(model_with({{"mfcc", "1"}, {"criterion", "ctc"}}));
  ASSERT_TRUE(settings.has_value());
  EXPECT_TRUE(settings->features.kind == SpeechFeatureKind::mfcc);
  EXPECT_EQ(settings->features.filterbanks, 40u);
  EXPECT_EQ(settings->features.coefficients, 13u);
  EXPECT_EQ(settings->features.channel_count, 1u);
  EXPECT_EQ(settings->features.mel_floor, 1.0);
  EXPECT_FALSE(settings->tokens.is_asg);
  EXPECT_FALSE(settings->tokens.uses_word_pieces);
  EXPECT_EQ(settings->tokens.separator, "|");
  // Without flags tokens tell by themselves where words begin.
  auto bare = settings_of({});
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->tokens.separator, "");
}

SUSURRUS_TEST(acoustic_settings_are_those_of_the_file) {
  auto settings = settings_of(model_with({{"mfsc", "true"},
                                          {"criterion", "ctc"},
                                          {"channels", "2"},
                                          {"filterbanks", "80"},
                                          {"melfloor", "0.5"},
                                          {"devwin", "2"},
                                          {"localnrmlleftctx", "300"},
                                          {"localnrmlrightctx", "4"},
                                          {"replabel", "3"},
                                          {"eostoken", "yes"},
                                          {"usewordpiece", "t"},
                                          {"surround", "|"},
                                          {"wordseparator", "_"}}));
  ASSERT_TRUE(settings.has_value());
  const SpeechFeatureSettings& features = settings->features;
  EXPECT_TRUE(features.kind == SpeechFeatureKind::mfsc);
  EXPECT_EQ(features.channel_count, 2u);
  EXPECT_EQ(features.filterbanks, 80u);
  EXPECT_EQ(features.mel_floor, 0.5);
  EXPECT_EQ(features.delta_window, 2u);
  EXPECT_EQ(features.left_context, 300u);
  EXPECT_EQ(features.right_context, 4u);
  const TokenSettings& tokens = settings->tokens;
  EXPECT_EQ(tokens.replabel, 3u);
  EXPECT_TRUE(tokens.has_eos);
  EXPECT_TRUE(tokens.uses_word_pieces);
  EXPECT_EQ(tokens.surround, "|");
  EXPECT_EQ(tokens.separator, "_");
}

SUSURRUS_TEST(acoustic_settings_that_make_no_sense_are_refused) {
  expect_refused("devwin", "-1", "flags.devwin");
  expect_refused("channels", "1.5", "flags.channels");
  expect_refused("melfloor", "x", "flags.melfloor");
  expect_refused("criterion", "seq2seq", "criterion", ErrorCode::unsupported_feature);
}

}  // namespace susurrus::testing::acoustic_settings_test

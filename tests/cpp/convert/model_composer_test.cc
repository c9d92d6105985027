#include "convert/compose/model_composer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness.h"

namespace susurrus::testing::model_composer_test {
namespace {

constexpr std::string_view kTensors = R"({
  "format": "apr2",
  "metadata": "{\"apr_version\":\"2.0.0\",\"model_type\":\"other\",\"architecture\":{}}",
  "compress": true,
  "tensors": [
    {"name": "a", "dtype": "f32", "shape": [3]},
    {"name": "none", "dtype": "f16", "shape": [0]},
    {"name": "b", "dtype": "q8_0", "shape": [40, 32]},
    {"name": "c", "dtype": "i16", "shape": [5]}
  ]
})";

constexpr std::string_view kSections = R"({
  "format": "bw2l", "name": "small", "sections": [
    {"name": "notes", "type": "poem", "description": "", "byteCount": 7},
    {"name": "flags", "type": "keyval", "description": "",
     "entries": [["mfsc", "true"], ["filterbanks", "40"], ["samplerate", "8000"]]},
    {"name": "config", "type": "keyval", "description": "", "entries": [["criterion", "asg"]]},
    {"name": "tokens", "type": "utf8", "description": "", "text": "|\n\u00C3\u00A4\n"},
    {"name": "arch", "type": "utf8", "description": "", "text": "V -1 1 NFEAT 0\nL 40 2\n"},
    {"name": "layers", "type": "layers", "description": "", "layers": [
      {"arch": "V -1 1 NFEAT 0", "scale": 1065353216, "offset": "0", "arrays": []},
      {"arch": "L 40 2", "scale": 1065353216, "offset": "-9223372036854775808", "arrays": [
        {"dtype": "fp16", "length": 80}, {"dtype": "i32", "length": 2}]}]},
    {"name": "transitions", "type": "array", "description": "", "dtype": "fp32", "length": 4}
  ]
})";

/// What is pushed for a part: other bytes for each, in pieces of `piece` bytes.
std::vector<uint8_t> composed(std::string_view description, size_t piece,
                              std::vector<bool> are_floats) {
  ModelComposer composer;
  EXPECT_TRUE(composer.plan(description).has_value());
  std::vector<uint8_t> file;
  const auto drain = [&](const Status& status) {
    EXPECT_TRUE(status.has_value());
    file.insert(file.end(), composer.output().begin(), composer.output().end());
    composer.consume_output();
  };
  const auto run = [&](ModelComposer::Pass pass) {
    drain(composer.begin(pass));
    for (size_t i = 0; i < composer.parts().size(); ++i) {
      const FilePart& part = composer.parts()[i];
      drain(composer.begin_part(are_floats[i]));
      std::vector<uint8_t> bytes(are_floats[i] ? 4 * part.element_count : part.byte_count);
      for (size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<uint8_t>(at % 61);
      for (size_t at = 0; at < bytes.size(); at += piece) {
        drain(composer.push(ByteSpan(bytes).subspan(at, std::min(piece, bytes.size() - at))));
      }
      drain(composer.finish_part());
    }
    drain(composer.finish());
  };
  if (composer.needs_measuring()) run(ModelComposer::Pass::measure);
  EXPECT_TRUE(file.empty());
  run(ModelComposer::Pass::write);
  return file;
}

SUSURRUS_TEST(composer_takes_its_parts_in_pieces_of_any_size) {
  for (const auto& [description, are_floats] :
       {std::pair(kTensors, std::vector<bool>{true, false, true, false}),
        std::pair(kSections, std::vector<bool>{false, true, false, false})}) {
    const auto whole = composed(description, 1 << 20, are_floats);
    EXPECT_TRUE(whole.size() > 100);
    for (const size_t piece : {1, 3, 7, 64, 1000}) {
      EXPECT_TRUE(composed(description, piece, are_floats) == whole);
    }
  }
}

SUSURRUS_TEST(composer_wants_its_calls_in_order_and_stops_after_an_error) {
  ModelComposer composer;
  const auto expect_code = [](const Status& status, ErrorCode code) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(error_code_name(status.error().code), error_code_name(code));
  };
  expect_code(composer.begin(ModelComposer::Pass::write), ErrorCode::wrong_state);
  EXPECT_TRUE(composer.plan(kTensors).has_value());
  expect_code(composer.begin_part(true), ErrorCode::wrong_state);
  EXPECT_TRUE(composer.begin(ModelComposer::Pass::write).has_value());
  // The output is to be taken first.
  expect_code(composer.begin_part(true), ErrorCode::wrong_state);
  composer.consume_output();
  expect_code(composer.push({}), ErrorCode::wrong_state);
  expect_code(composer.finish(), ErrorCode::wrong_state);
  expect_code(composer.finish(), ErrorCode::disabled_by_previous_error);
}

SUSURRUS_TEST(composer_refuses_descriptions_that_are_none) {
  for (const std::string_view text :
       {"", "[]", "{}", R"({"format":"april"})", R"({"format":"bw2l"})", R"({"format":"tennis"})",
        R"({"format":"apr2","metadata":"{}"})", R"({"format":"bw2l","name":"\u0100"})",
        R"({"format":"apr1","metadata":1})"}) {
    ModelComposer composer;
    const Status status = composer.plan(text);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(error_code_name(status.error().code), error_code_name(ErrorCode::invalid_argument));
  }
}

}  // namespace
}  // namespace susurrus::testing::model_composer_test

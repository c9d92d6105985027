#include "base/json_writer.h"

#include <limits>
#include <vector>

#include "base/json_document.h"
#include "harness.h"

namespace susurrus::testing::json_writer_test {

SUSURRUS_TEST(json_is_written_with_its_commas) {
  JsonWriter json;
  json.begin_object().field("a", true).key("b").begin_array();
  json.begin_object().end_object().begin_array().end_array().value("c");
  json.end_array().key("d").json("[1]").field("e", uint32_t{7}).end_object();
  EXPECT_EQ(json.text(), R"({"a":true,"b":[{},[],"c"],"d":[1],"e":7})");
}

SUSURRUS_TEST(json_text_is_escaped) {
  const std::string text("quote \" back \\ line \n zero \0 \x1f \xC3\xA9", 30);
  JsonWriter json;
  json.begin_object().field(text, std::string_view(text)).end_object();
  auto document = JsonDocument::parse(json.text(), {});
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root()[text].text().value_or(""), text);
}

SUSURRUS_TEST(json_numbers_come_back_as_they_were) {
  const std::vector<double> doubles = {0.1, -1e-300, 1.0 / 3, 9007199254740993.0, 5e-324};
  const std::vector<float> floats = {0.1f, 1.0f / 3, 3.4e38f, 1e-45f, -0.97321f};
  JsonWriter json;
  json.begin_array()
      .value(std::span<const double>(doubles))
      .value(std::span<const float>(floats))
      .value(~uint64_t{0})
      .value(std::numeric_limits<double>::infinity())
      .value(std::numeric_limits<float>::quiet_NaN())
      .end_array();
  auto document = JsonDocument::parse(json.text(), {});
  ASSERT_TRUE(document.has_value());
  std::vector<JsonValue> parts;
  for (JsonValue part : document->root().items()) parts.push_back(part);
  ASSERT_EQ(parts.size(), 5u);
  size_t i = 0;
  for (JsonValue number : parts[0].items()) EXPECT_EQ(*number.number(), doubles[i++]);
  i = 0;
  for (JsonValue number : parts[1].items()) {
    EXPECT_EQ(static_cast<float>(*number.number()), floats[i++]);
  }
  EXPECT_EQ(*parts[2].unsigned_integer(), ~uint64_t{0});
  EXPECT_TRUE(parts[3].is_null());
  EXPECT_TRUE(parts[4].is_null());
}

SUSURRUS_TEST(json_integers_are_exact_where_they_are_read_as_doubles) {
  JsonWriter json;
  json.begin_array();
  json.exact(uint64_t{9007199254740991}).exact(uint64_t{9007199254740992}).exact(~uint64_t{0});
  json.exact(int64_t{-9007199254740991}).exact(int64_t{-9007199254740992}).exact(int64_t{7});
  json.exact(std::numeric_limits<int64_t>::min()).end_array();
  EXPECT_EQ(json.text(), R"([9007199254740991,"9007199254740992","18446744073709551615",)"
                         R"(-9007199254740991,"-9007199254740992",7,"-9223372036854775808"])");
}

}  // namespace susurrus::testing::json_writer_test

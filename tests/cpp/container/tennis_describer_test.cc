#include "container/tennis/tennis_describer.h"

#include <algorithm>
#include <numeric>

#include "base/json_document.h"
#include "container/inspecting_reader.h"
#include "container/tennis_builder.h"
#include "harness.h"

namespace susurrus::testing::tennis_describer_test {
namespace {

/// Through the path of every file: its format is detected first.
Status describe_file(InspectingReader& reader, const Bytes& file, size_t chunk_size) {
  reader.describe_all();
  for (size_t at = 0; at < file.size(); at += chunk_size) {
    SUSURRUS_RETURN_IF_ERROR(
        reader.push(ByteSpan(file).subspan(at, std::min(chunk_size, file.size() - at))));
  }
  return reader.finish();
}

std::string facts_of(const Bytes& file, size_t chunk_size = size_t{1} << 30,
                     bool shows_all = false) {
  InspectingReader reader;
  if (shows_all) reader.show_all();
  const Status status = describe_file(reader, file, chunk_size);
  EXPECT_TRUE(status.has_value());
  EXPECT_TRUE(reader.describer() != nullptr);
  return status && reader.describer() != nullptr ? reader.describer()->facts() : std::string();
}

/// Puts offsets where the expected text has "@node 1 value 0 data".
std::string with_offsets(std::string text, const std::map<std::string, uint64_t>& marks) {
  for (size_t at; (at = text.find("\"@")) != std::string::npos;) {
    const size_t end = text.find('"', at + 1);
    const auto mark = marks.find(text.substr(at + 2, end - at - 2));
    EXPECT_TRUE(mark != marks.end());
    if (mark == marks.end()) return text;
    text.replace(at, end + 1 - at, std::to_string(mark->second));
  }
  return text;
}

}  // namespace

SUSURRUS_TEST(tennis_description_has_everything_in_the_module) {
  TennisBuilder builder = small_module();
  builder.user_bytes = Bytes(120, 0xA5);
  builder.behind = {0};
  const Bytes file = builder.build();
  std::string user_bytes;
  for (int i = 0; i < 120; ++i) user_bytes += "a5";
  const std::string expected = with_offsets(
      R"({"format":"TenniS","version":"1","flags":"","byteCount":)" + std::to_string(file.size()) +
          R"(,"metadata":{"reserved_word":7,"user_bytes":")" + user_bytes + R"("},)" +
          R"("graph":{"inputs":[{"node":0,"name":"x","dtype":"f32","shape":[-1,3,8,8]}],)"
          R"("outputs":[{"node":2,"name":"y"},{"node":5,"name":"second"}],"nodes":[)"
          R"({"op":"<param>","name":"x","inputs":[],"parameters":[)"
          R"({"name":"#shape","fields":[{"dtype":"i32","shape":[4],"offset":"@node 0 #shape 0 data","size":16,"value":[-1,3,8,8]}]},)"
          R"({"name":"#dtype","fields":[{"dtype":"i32","shape":[],"offset":"@node 0 #dtype 0 data","size":4,"value":10}]}]},)"
          R"({"op":"<const>","name":"weight","inputs":[],"parameters":[)"
          R"({"name":"value","fields":[{"dtype":"f32","shape":[2,3,1,1],"offset":"@node 1 value 0 data","size":24,"value":[0,1,-2,0.5,9.99999994e-09,3]}]}]},)"
          R"({"op":"relu","name":"y","inputs":[3],"parameters":[]},)"
          R"({"op":"conv2d","name":"conv","inputs":[0,1],"parameters":[)"
          R"({"name":"format","fields":[{"dtype":"char8","shape":[4],"offset":"@node 3 format 0 data","size":4,"value":"NCHW"}]},)"
          R"({"name":"stride","fields":[{"dtype":"i32","shape":[4],"offset":"@node 3 stride 0 data","size":16,"value":[1,1,2,2]}]},)"
          R"({"name":"padding","fields":[{"dtype":"i32","shape":[4,2],"offset":"@node 3 padding 0 data","size":32,"value":[0,0,0,0,1,1,1,1]}]},)"
          R"({"name":"#output_count","fields":[{"dtype":"i32","shape":[],"offset":"@node 3 #output_count 0 data","size":4,"value":1}]}]},)"
          R"({"op":"<const>","name":"pair","inputs":[],"parameters":[)"
          R"({"name":"value","fields":[{"dtype":"f16","shape":[2],"offset":"@node 4 value 0 data","size":4,"value":[1,-2]},)"
          R"({"dtype":"i8","shape":[],"offset":"@node 4 value 1 data","size":1,"value":-2}]},)"
          R"({"name":"device","fields":[{"dtype":"char8","shape":[3],"offset":"@node 4 device 0 data","size":3,"value":"cpu"}]}]},)"
          R"({"op":"_field","name":"second","inputs":[4],"parameters":[)"
          R"({"name":"offset","fields":[{"dtype":"i32","shape":[1],"offset":"@node 5 offset 0 data","size":4,"value":[1]}]}]}]},)"
          R"("warnings":["1 bytes behind the graph are ignored"]})",
      builder.marks);
  for (const size_t chunk_size : {size_t{1} << 30, size_t{1}, size_t{63}, size_t{64}, size_t{65}}) {
    EXPECT_EQ(facts_of(file, chunk_size), expected);
  }
}

SUSURRUS_TEST(tennis_description_gives_values_of_what_is_short_and_plain) {
  TennisBuilder builder = module_of_every_dtype();
  builder.nodes[0].parameters.push_back(
      parameter("many", int32_field({33}, std::vector<int32_t>(33, 5))));
  builder.nodes[0].parameters.push_back(
      parameter("few", int32_field({32}, std::vector<int32_t>(32, 5))));
  builder.nodes[0].parameters.push_back(parameter("long", text_field(std::string(1025, 'x'))));
  builder.nodes[0].parameters.push_back(parameter("\xFF", text_field("a\"\n\x01\xFE")));
  builder.nodes[0].parameters.push_back(parameter("infinite", float_field({1}, {INFINITY})));
  const std::string facts = facts_of(builder.build());
  const auto document = JsonDocument::parse(facts, {});
  ASSERT_TRUE(document.has_value());
  const JsonValue node = *document->root()["graph"]["nodes"].items().begin();
  size_t seen = 0;
  for (const JsonValue one : node["parameters"].items()) {
    const std::string name(*one["name"].text());
    const JsonValue first = *one["fields"].items().begin();
    const JsonValue value = one["fields"].size() == 0 ? JsonValue() : first["value"];
    ++seen;
    if (name == "many" || name == "long" || name == "dtype 22" || name == "dtype 16") {
      EXPECT_TRUE(first["size"].exists() && !value.exists());
    } else if (name == "few") {
      EXPECT_EQ(value.size(), 32u);
    } else if (name == "\xEF\xBF\xBD") {
      EXPECT_EQ(*value.text(), "a\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    } else if (name == "infinite") {
      EXPECT_TRUE((*value.items().begin()).is_null());
    } else if (name == "dtype 21") {
      EXPECT_EQ(*(*value.items().begin()).boolean(), true);
    } else if (name == "empty") {
      EXPECT_TRUE(value.is_array() && value.size() == 0);
    } else if (name == "no fields") {
      EXPECT_EQ(one["fields"].size(), 0u);
    } else {
      --seen;
    }
  }
  EXPECT_EQ(seen, 10u);
}

SUSURRUS_TEST(tennis_description_in_full_has_long_values_but_no_weights) {
  TennisBuilder builder = small_module();
  std::vector<int32_t> many(33);
  std::iota(many.begin(), many.end(), 0);
  const std::string words(1025, 'x');
  builder.nodes[2].parameters.push_back(parameter("many", int32_field({33}, many)));
  builder.nodes[2].parameters.push_back(parameter("words", text_field(words)));
  builder.nodes[2].parameters.push_back(parameter("value", int32_field({33}, many)));
  builder.nodes[1].parameters[0] = parameter("value", int32_field({33}, many));
  for (const size_t chunk_size : {size_t{1} << 30, size_t{1}, size_t{65}}) {
    const std::string short_facts = facts_of(builder.build(), chunk_size);
    EXPECT_TRUE(short_facts.find("[0,1,2,3") == std::string::npos);
    const std::string facts = facts_of(builder.build(), chunk_size, true);
    const auto document = JsonDocument::parse(facts, {});
    ASSERT_TRUE(document.has_value());
    size_t at = 0;
    for (const JsonValue node : document->root()["graph"]["nodes"].items()) {
      for (const JsonValue one : node["parameters"].items()) {
        const JsonValue value = (*one["fields"].items().begin())["value"];
        const std::string_view name = *one["name"].text();
        if (at == 1 && name == "value") EXPECT_TRUE(!value.exists());
        if (at == 2 && name == "many") EXPECT_EQ(value.size(), 33u);
        if (at == 2 && name == "value") EXPECT_EQ(value.size(), 33u);
        if (at == 2 && name == "words") EXPECT_EQ(value.text(), words);
      }
      ++at;
    }
  }
}

SUSURRUS_TEST(tennis_description_in_full_stays_within_its_limit) {
  TennisBuilder builder = small_module();
  builder.nodes[2].parameters.push_back(parameter("huge", text_field(std::string(17 << 20, 'x'))));
  const std::string facts = facts_of(builder.build(), size_t{1} << 30, true);
  EXPECT_LT(facts.size(), size_t{1} << 16);
  EXPECT_TRUE(facts.find("nodes are listed") == std::string::npos);
}

SUSURRUS_TEST(tennis_description_of_countless_fields_stays_near_the_size_of_the_file) {
  // Five bytes each: nothing that describes them is as short.
  TennisBuilder builder = small_module();
  builder.nodes[4].parameters[0].fields.assign(400000, BuiltField{0, {}, {}});
  const Bytes file = builder.build();
  const std::string facts = facts_of(file, 1000);
  EXPECT_LT(facts.size(), (size_t{2} << 20) + file.size() + 2000);
  EXPECT_GT(facts.size(), size_t{1} << 10);
  EXPECT_TRUE(facts.find(R"("only the first 4 of 6 nodes are listed")") != std::string::npos);
  EXPECT_TRUE(JsonDocument::parse(facts, {}).has_value());
}

SUSURRUS_TEST(tennis_is_described_only_when_that_is_wanted) {
  const Bytes file = small_module().build();
  InspectingReader reader;
  const Status status = reader.push(file);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::unsupported_feature);
  EXPECT_TRUE(status.error().got.view().find("TenniS") != std::string_view::npos);
  EXPECT_TRUE(reader.describer() == nullptr);
}

SUSURRUS_TEST(tennis_errors_come_through_inspection) {
  Bytes swapped = small_module().build();
  std::reverse(swapped.begin() + 4, swapped.begin() + 8);
  for (const size_t chunk_size : {size_t{1} << 30, size_t{1}}) {
    InspectingReader reader;
    const Status status = describe_file(reader, swapped, chunk_size);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::unknown_format);
    EXPECT_TRUE(status.error().got.view().find("big-endian") != std::string_view::npos);
  }
  // Short files, cut in front of the 64 bytes that tell formats and after them.
  const Bytes file = small_module().build();
  for (const size_t size : {20, 63, 64, 139, 300}) {
    InspectingReader reader;
    const Status status = describe_file(reader, Bytes(file.begin(), file.begin() + size), 7);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::truncated_input);
  }
}

SUSURRUS_TEST(other_formats_are_inspected_as_before) {
  InspectingReader apr2;
  EXPECT_TRUE(describe_file(apr2, whisper_builder().build(), 100).has_value());
  EXPECT_TRUE(apr2.describer() == nullptr && apr2.sink().has_manifest());
  InspectingReader html;
  const std::string page = "<!doctype html><html></html>";
  const Status status = describe_file(html, Bytes(page.begin(), page.end()), 5);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::unknown_format);
}

}  // namespace susurrus::testing::tennis_describer_test

#include "base/json_document.h"

#include <string>

#include "base/utf8.h"
#include "harness.h"

namespace susurrus::testing::json_document_test {
namespace {

Error json_error(std::string_view text, uint64_t file_offset = 0) {
  auto document = JsonDocument::parse(text, {file_offset, ErrorReason::bad_metadata, "metadata"});
  return document ? make_error(ErrorCode::ok, ErrorReason::none) : document.error();
}

}  // namespace

SUSURRUS_TEST(json_values) {
  auto document = JsonDocument::parse(
      R"({"a":[1,-2,3.5,"x\u00e9\u0000y",true,null],"b":{"c":18446744073709551615},"a":2, "":{}})",
      {});
  ASSERT_TRUE(document.has_value());
  const JsonValue root = document->root();
  EXPECT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 4u);
  EXPECT_EQ(root.count("a"), 2u);
  const JsonValue a = root["a"];
  EXPECT_EQ(a.size(), 6u);
  std::string seen;
  for (const JsonValue item : a.items()) {
    if (item.unsigned_integer()) seen += 'u';
    if (item.number()) seen += 'n';
    if (item.text()) seen += item.text()->size() == 5 ? 't' : '?';
    if (item.boolean()) seen += 'b';
    if (item.is_null()) seen += '0';
  }
  EXPECT_EQ(seen, "unnntb0");
  EXPECT_EQ(*root["b"]["c"].unsigned_integer(), ~uint64_t{0});
  EXPECT_FALSE(root["none"].exists());
  EXPECT_FALSE(root["none"]["deeper"].text().has_value());
  for (const JsonValue item : root["b"].items())
    EXPECT_FALSE(item.exists());  // an object has no items
}

SUSURRUS_TEST(json_refuses_what_is_not_strict) {
  for (const char* text :
       {"", " ", "{", "{\"a\":}", "[1,]", "{'a':1}", "nul", "[1] x", "\xEF\xBB\xBF{}", "[NaN]",
        "[Infinity]", "[01]", "[1e999]", "\"\\ud800\"", "\"a\nb\"", "// c\n{}"}) {
    EXPECT_EQ(json_error(text).code, ErrorCode::malformed);
    EXPECT_EQ(json_error(text).reason, ErrorReason::bad_metadata);
  }
  EXPECT_EQ(json_error("[1, x]", 1000).offset, 1004u);
  EXPECT_EQ(json_error("[\"\xC3(\"]", 100).offset, 102u);
}

SUSURRUS_TEST(json_depth_is_limited) {
  EXPECT_EQ(json_error(std::string(64, '[') + std::string(64, ']')).code, ErrorCode::ok);
  EXPECT_EQ(json_error(std::string(65, '[') + std::string(65, ']')).code, ErrorCode::malformed);
  EXPECT_EQ(json_error(std::string(65, '[') + std::string(65, ']'), 10).offset, 74u);
  // Brackets in strings do not nest.
  EXPECT_EQ(json_error("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"").code,
            ErrorCode::ok);
}

SUSURRUS_TEST(utf8_is_strict) {
  for (const char* good :
       {"", "plain text of more than eight bytes", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_FALSE(find_invalid_utf8(good).has_value());
  }
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_TRUE(find_invalid_utf8(bad) == std::optional<size_t>(0));
  }
  EXPECT_TRUE(find_invalid_utf8("12345678901\xFF") == std::optional<size_t>(11));
  EXPECT_EQ(static_cast<uint32_t>(next_utf8("\xF0\x9F\x8E\xB5").point), 0x1F3B5u);
}

}  // namespace susurrus::testing::json_document_test

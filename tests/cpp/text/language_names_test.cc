#include "text/language_names.h"

#include "harness.h"

namespace susurrus::testing::language_names_test {

SUSURRUS_TEST(languages_go_by_name_and_alias_in_either_case) {
  EXPECT_EQ(language_code_of_name("german").value_or(""), "de");
  EXPECT_EQ(language_code_of_name("German").value_or(""), "de");
  EXPECT_EQ(language_code_of_name("HAITIAN CREOLE").value_or(""), "ht");
  EXPECT_EQ(language_code_of_name("haitian").value_or(""), "ht");
  EXPECT_EQ(language_code_of_name("castilian").value_or(""), "es");
  EXPECT_EQ(language_code_of_name("mandarin").value_or(""), "zh");
  // The first and the last of the table.
  EXPECT_EQ(language_code_of_name("afrikaans").value_or(""), "af");
  EXPECT_EQ(language_code_of_name("yoruba").value_or(""), "yo");
  for (const char* unknown : {"", "klingon", "de", "germanic", "a name much longer than any"}) {
    EXPECT_FALSE(language_code_of_name(unknown).has_value());
  }
}

}  // namespace susurrus::testing::language_names_test

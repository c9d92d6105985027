#include "text/language_names.h"

#include <algorithm>
#include <iterator>

namespace susurrus {
namespace {

struct LanguageName {
  std::string_view name;
  std::string_view code;
};

// Ascending by name.
constexpr LanguageName kNames[] = {
    {"afrikaans", "af"},   {"albanian", "sq"},   {"amharic", "am"},
    {"arabic", "ar"},      {"armenian", "hy"},   {"assamese", "as"},
    {"azerbaijani", "az"}, {"bashkir", "ba"},    {"basque", "eu"},
    {"belarusian", "be"},  {"bengali", "bn"},    {"bosnian", "bs"},
    {"breton", "br"},      {"bulgarian", "bg"},  {"burmese", "my"},
    {"cantonese", "yue"},  {"castilian", "es"},  {"catalan", "ca"},
    {"chinese", "zh"},     {"croatian", "hr"},   {"czech", "cs"},
    {"danish", "da"},      {"dutch", "nl"},      {"english", "en"},
    {"estonian", "et"},    {"faroese", "fo"},    {"finnish", "fi"},
    {"flemish", "nl"},     {"french", "fr"},     {"galician", "gl"},
    {"georgian", "ka"},    {"german", "de"},     {"greek", "el"},
    {"gujarati", "gu"},    {"haitian", "ht"},    {"haitian creole", "ht"},
    {"hausa", "ha"},       {"hawaiian", "haw"},  {"hebrew", "he"},
    {"hindi", "hi"},       {"hungarian", "hu"},  {"icelandic", "is"},
    {"indonesian", "id"},  {"italian", "it"},    {"japanese", "ja"},
    {"javanese", "jw"},    {"kannada", "kn"},    {"kazakh", "kk"},
    {"khmer", "km"},       {"korean", "ko"},     {"lao", "lo"},
    {"latin", "la"},       {"latvian", "lv"},    {"letzeburgesch", "lb"},
    {"lingala", "ln"},     {"lithuanian", "lt"}, {"luxembourgish", "lb"},
    {"macedonian", "mk"},  {"malagasy", "mg"},   {"malay", "ms"},
    {"malayalam", "ml"},   {"maltese", "mt"},    {"mandarin", "zh"},
    {"maori", "mi"},       {"marathi", "mr"},    {"moldavian", "ro"},
    {"moldovan", "ro"},    {"mongolian", "mn"},  {"myanmar", "my"},
    {"nepali", "ne"},      {"norwegian", "no"},  {"nynorsk", "nn"},
    {"occitan", "oc"},     {"panjabi", "pa"},    {"pashto", "ps"},
    {"persian", "fa"},     {"polish", "pl"},     {"portuguese", "pt"},
    {"punjabi", "pa"},     {"pushto", "ps"},     {"romanian", "ro"},
    {"russian", "ru"},     {"sanskrit", "sa"},   {"serbian", "sr"},
    {"shona", "sn"},       {"sindhi", "sd"},     {"sinhala", "si"},
    {"sinhalese", "si"},   {"slovak", "sk"},     {"slovenian", "sl"},
    {"somali", "so"},      {"spanish", "es"},    {"sundanese", "su"},
    {"swahili", "sw"},     {"swedish", "sv"},    {"tagalog", "tl"},
    {"tajik", "tg"},       {"tamil", "ta"},      {"tatar", "tt"},
    {"telugu", "te"},      {"thai", "th"},       {"tibetan", "bo"},
    {"turkish", "tr"},     {"turkmen", "tk"},    {"ukrainian", "uk"},
    {"urdu", "ur"},        {"uzbek", "uz"},      {"valencian", "ca"},
    {"vietnamese", "vi"},  {"welsh", "cy"},      {"yiddish", "yi"},
    {"yoruba", "yo"}};

constexpr size_t kLongestName = 16;

}  // namespace

std::optional<std::string_view> language_code_of_name(std::string_view name) {
  char lower[kLongestName];
  if (name.size() > kLongestName) return std::nullopt;
  std::transform(name.begin(), name.end(), lower, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view wanted(lower, name.size());
  const auto* found = std::ranges::lower_bound(kNames, wanted, {}, &LanguageName::name);
  if (found == std::end(kNames) || found->name != wanted) return std::nullopt;
  return found->code;
}

}  // namespace susurrus

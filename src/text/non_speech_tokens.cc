#include "text/non_speech_tokens.h"

#include <string>

#include "base/sort.h"

namespace susurrus {
namespace {

constexpr const char* kSymbols[] = {"\"",
                                    "#",
                                    "(",
                                    ")",
                                    "*",
                                    "+",
                                    "/",
                                    ":",
                                    ";",
                                    "<",
                                    "=",
                                    ">",
                                    "@",
                                    "[",
                                    "\\",
                                    "]",
                                    "^",
                                    "_",
                                    "{",
                                    "|",
                                    "}",
                                    "~",
                                    "`",
                                    "\u300C",
                                    "\u300D",
                                    "\u300E",
                                    "\u300F",
                                    "<<",
                                    ">>",
                                    "<<<",
                                    ">>>",
                                    "--",
                                    "---",
                                    "-(",
                                    "-[",
                                    "('",
                                    "(\"",
                                    "((",
                                    "))",
                                    "(((",
                                    ")))",
                                    "[[",
                                    "]]",
                                    "{{",
                                    "}}",
                                    "\u266A\u266A",
                                    "\u266A\u266A\u266A"};
// Written in several bytes that share a first token, which is kept even where it is not the whole symbol.
constexpr const char* kMusic[] = {"\u2669", "\u266A", "\u266B", "\u266C",
                                  "\u266D", "\u266E", "\u266F"};

}  // namespace

std::vector<uint32_t> non_speech_tokens(const Tokenizer& tokenizer) {
  std::vector<uint32_t> result;
  auto add = [&](const std::string& text, bool keep_first) {
    std::vector<uint32_t> ids = tokenizer.encode(text);
    if (ids.size() == 1 || (keep_first && !ids.empty())) result.push_back(ids[0]);
  };
  // Hyphen and apostrophe are annotations at the start of a word, but belong inside one.
  add(" -", true);
  add(" '", true);
  for (const char* symbol : kSymbols) {
    add(symbol, false);
    add(std::string(" ") + symbol, false);
  }
  for (const char* symbol : kMusic) {
    add(symbol, true);
    add(std::string(" ") + symbol, true);
  }
  sort_unique(result);
  return result;
}

}  // namespace susurrus

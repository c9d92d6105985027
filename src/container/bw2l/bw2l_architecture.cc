#include "container/bw2l/bw2l_architecture.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/checked_math.h"
#include "container/bw2l/bw2l_number.h"

namespace susurrus {
namespace {

using Words = std::vector<std::string_view>;
using Lines = std::span<const std::string_view>;

constexpr size_t kMaxLines = 1 << 17;
// A residual block within a residual block is rare, deeper ones do not exist.
constexpr size_t kMaxNesting = 8;
// The largest number that may stand for a size.
constexpr double kMostSize = double{1 << 30};
constexpr std::string_view kBlanks = " \t\r\f\v\n";

struct Code {
  std::string_view name;
  // Words after the code.
  size_t least_words;
  size_t most_words;
  Bw2lArrayCounts arrays;
};

constexpr Code kCodes[] = {
    {"V", 4, 4, {}},          {"RO", 4, 4, {}},        {"PD", 3, 9, {}},
    {"C", 4, 6, {2, 2}},      {"C1", 4, 6, {2, 2}},    {"C2", 6, 10, {2, 2}},
    {"AC", 4, 7, {2, 2}},     {"TDS", 3, 7, {10, 10}}, {"L", 2, 3, {1, 2}},
    {"E", 2, 2, {1, 1}},      {"BN", 2, 5, {2, 4, 2}}, {"LN", 1, 3, {2, 2}},
    {"WN", 2, 16, {2, 3}},    {"DO", 1, 1, {}},        {"M", 4, 6, {}},
    {"A", 4, 6, {}},          {"ELU", 0, 0, {}},       {"R", 0, 0, {}},
    {"R6", 0, 0, {}},         {"PR", 0, 2, {1, 1}},    {"LG", 0, 0, {}},
    {"HT", 0, 0, {}},         {"T", 0, 0, {}},         {"GLU", 1, 1, {}},
    {"LSM", 1, 1, {}},        {"SH", 0, 1, {}},        {"RNN", 2, 5, {1, 1}},
    {"GRU", 2, 5, {1, 1}},    {"LSTM", 2, 5, {1, 1}},  {"RES", 2, 3, {}},
    {"SAUG", 6, 6, {}},       {"TR", 5, 7, {10, 10}},  {"CTR", 6, 7, {28, 28}},
    {"POSEMB", 2, 3, {1, 1}},
};
// Lines of residual blocks only.
constexpr Code kSkip = {"SKIP", 2, 3, {}};
constexpr Code kSkipLayers = {"SKIPL", 3, 4, {}};

const Code* find_code(std::string_view name) {
  for (const Code& code : kCodes) {
    if (code.name == name) return &code;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Words split(std::string_view line) {
  Words words;
  // More words than any line has are as wrong as all of them.
  while (words.size() < 32) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) break;
    line = line.substr(begin);
    words.push_back(line.substr(0, line.find_first_of(kBlanks)));
    line = line.substr(words.back().size());
  }
  return words;
}

constexpr std::string_view kPlaceholders[] = {"NFEAT", "NLABEL"};

/// Placeholders stand for numbers, alone or as a part of one.
std::optional<double> number(std::string_view word) {
  std::string text(word.substr(0, 64));
  for (const std::string_view name : kPlaceholders) {
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), "1");
  }
  return parse_decimal(text);
}

/// A count of lines or blocks; zero if the word is not one.
size_t line_count(const Words& words, size_t at) {
  const auto value = at < words.size() ? number(words[at]) : std::nullopt;
  return value && *value >= 0 && *value <= kMaxLines ? static_cast<size_t>(*value) : 0;
}

size_t lines_of(Lines lines, size_t depth) {
  if (lines.empty() || depth > kMaxNesting) return 0;
  const Words words = split(lines[0]);
  const bool is_block = words[0] == "RES";
  if (!is_block && words[0] != "SKIPL") return 1;
  const size_t parts =
      is_block ? line_count(words, 1) + line_count(words, 2) : line_count(words, 3);
  size_t count = 1;
  for (size_t i = 0; i < parts; ++i) {
    const size_t taken = lines_of(lines.subspan(count), depth + 1);
    if (taken == 0) return 0;
    count += taken;
  }
  return count;
}

Error bad_line(std::string_view line) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata).with_got(line);
}

Error unknown_code(std::string_view line) {
  return make_error(ErrorCode::malformed, ErrorReason::unsupported)
      .with_expected("a layer that BW2L defines")
      .with_got(line);
}

Status check_words(const Code& code, const Words& words, std::string_view line) {
  const size_t count = words.size() - 1;
  if (count < code.least_words || count > code.most_words) {
    return bad_line(line).with_expected(std::to_string(code.least_words) + " to " +
                                        std::to_string(code.most_words) + " words after " +
                                        std::string(code.name));
  }
  const size_t numbers = code.name == "WN" ? 1 : count;
  for (size_t i = 1; i <= numbers; ++i) {
    if (!number(words[i])) {
      return bad_line(line).with_expected("a number instead of " + std::string(words[i]));
    }
  }
  if (code.name == "PD" && count % 2 == 0) {
    return bad_line(line).with_expected("a value, then pairs of left and right");
  }
  if (code.name == "LN" && count == 1 && number(words[1]) == 3.0) {
    return bad_line(line).with_expected("axes; a lone 3 means something else in old files");
  }
  return ok_status();
}

bool is_set(const Words& words, size_t at) {
  return at < words.size() && number(words[at]).value_or(0) > 0;
}

/// Layers whose norm WN may learn: those with one matrix of weights.
bool is_weight_norm_child(std::string_view code) {
  return code == "C" || code == "C1" || code == "C2" || code == "AC" || code == "L";
}

Result<Bw2lArrayCounts> check_lines(Lines lines);
Result<Bw2lArrayCounts> check_part(Lines lines);

/// The lines after a RES or SKIPL, each of them a layer or a skip.
Result<Bw2lArrayCounts> check_parts(Lines lines) {
  Bw2lArrayCounts sum;
  while (!lines.empty()) {
    const size_t taken = lines_of(lines, 0);
    if (taken == 0) return bad_line(lines[0]).with_expected("all lines that it announces");
    SUSURRUS_ASSIGN_OR_RETURN(const Bw2lArrayCounts counts, check_part(lines.first(taken)));
    sum.least = std::min<uint64_t>(sum.least + counts.least, UINT32_MAX);
    sum.most = std::min<uint64_t>(sum.most + counts.most, UINT32_MAX);
    lines = lines.subspan(taken);
  }
  return sum;
}

/// A layer or a skip.
Result<Bw2lArrayCounts> check_part(Lines lines) {
  const Words words = split(lines[0]);
  if (words[0] == "SKIP") {
    SUSURRUS_RETURN_IF_ERROR(check_words(kSkip, words, lines[0]));
    return Bw2lArrayCounts{};
  }
  if (words[0] == "SKIPL") {
    SUSURRUS_RETURN_IF_ERROR(check_words(kSkipLayers, words, lines[0]));
    return check_parts(lines.subspan(1));
  }
  return check_lines(lines);
}

/// One layer, of as many lines as lines_of() says.
Result<Bw2lArrayCounts> check_lines(Lines lines) {
  const std::string_view line = lines[0];
  const Words words = split(line);
  const Code* code = find_code(words[0]);
  if (code == nullptr) return unknown_code(line);
  SUSURRUS_RETURN_IF_ERROR(check_words(*code, words, line));
  Bw2lArrayCounts counts = code->arrays;
  if (code->name == "RES") {
    SUSURRUS_ASSIGN_OR_RETURN(counts, check_parts(lines.subspan(1)));
    const uint64_t blocks = words.size() > 3 ? line_count(words, 3) : 1;
    counts.least = *checked_multiply(counts.least, blocks);
    counts.most = *checked_multiply(counts.most, blocks);
  } else if (code->name == "WN") {
    const Words child(words.begin() + 2, words.end());
    const Code* inner = find_code(child[0]);
    if (inner == nullptr) return unknown_code(line);
    if (!is_weight_norm_child(inner->name)) {
      return bad_line(line).with_expected("a convolution or linear layer after WN's dimension");
    }
    SUSURRUS_RETURN_IF_ERROR(check_words(*inner, child, line));
  } else if ((code->name == "TR" || code->name == "CTR") && is_set(words, 4)) {
    ++counts.least;  // positions
    ++counts.most;
  }
  return counts;
}

/// The product of words that are sizes; 0 if one is not.
uint64_t product(const Words& words, std::initializer_list<size_t> places) {
  uint64_t size = 1;
  for (const size_t at : places) {
    const auto value = at < words.size() ? parse_decimal(words[at]) : std::nullopt;
    const bool is_size =
        value && *value >= 1 && *value <= kMostSize && *value == std::floor(*value);
    size = is_size ? checked_multiply(size, static_cast<uint64_t>(*value)).value_or(0) : 0;
  }
  return size;
}

std::vector<uint64_t> element_counts(const Words& words) {
  const std::string_view code = words[0];
  const uint64_t bias = product(words, {2});
  if (code == "L") return {product(words, {1, 2}), bias};
  if (code == "C" || code == "C1" || code == "AC") return {product(words, {1, 2, 3}), bias};
  if (code == "C2") return {product(words, {1, 2, 3, 4}), bias};
  if (code == "E" || code == "POSEMB") return {product(words, {1, 2})};
  return {};
}

}  // namespace

Result<std::vector<std::string_view>> bw2l_arch_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    if (lines.size() == kMaxLines) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .with_subject("arch")
          .with_expected(std::to_string(kMaxLines) + " lines at most");
    }
    lines.push_back(line);
  }
  return lines;
}

bool Bw2lPlaceholders::match_word(std::string_view word, std::string_view resolved) {
  while (word != resolved) {
    const size_t place = word.find(kPlaceholders[0]) < word.find(kPlaceholders[1]) ? 0 : 1;
    const size_t begin = word.find(kPlaceholders[place]);
    if (begin == std::string_view::npos || word.substr(0, begin) != resolved.substr(0, begin)) {
      return false;
    }
    word.remove_prefix(begin + kPlaceholders[place].size());
    resolved.remove_prefix(begin);
    const size_t digits = std::min(resolved.find_first_not_of("0123456789"), resolved.size());
    std::string& number = numbers_[place];
    if (number.empty()) number = resolved.substr(0, digits);
    if (digits == 0 || number != resolved.substr(0, digits)) return false;
    resolved.remove_prefix(digits);
  }
  return true;
}

bool Bw2lPlaceholders::match(std::string_view line, std::string_view resolved) {
  const Words words = split(line);
  const Words own = split(resolved);
  return std::equal(
      words.begin(), words.end(), own.begin(), own.end(),
      [this](std::string_view word, std::string_view other) { return match_word(word, other); });
}

size_t bw2l_layer_line_count(std::span<const std::string_view> lines) { return lines_of(lines, 0); }

Result<Bw2lArrayCounts> check_bw2l_layer(std::string_view arch) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<std::string_view> lines, bw2l_arch_lines(arch));
  if (lines.empty() || lines_of(lines, 0) != lines.size()) {
    return bad_line(trimmed(arch)).with_expected("the lines of one layer, all of them");
  }
  return check_lines(lines);
}

std::vector<uint64_t> bw2l_element_counts(std::string_view arch) {
  const auto lines = bw2l_arch_lines(arch);
  if (!lines || lines->size() != 1) return {};
  const Words words = split((*lines)[0]);
  if (words[0] != "WN" || words.size() < 3) return element_counts(words);
  // The child's weights, how long each of their vectors is, the child's bias.
  std::vector<uint64_t> counts = element_counts(Words(words.begin() + 2, words.end()));
  if (!counts.empty()) counts.insert(counts.begin() + 1, 0);
  return counts;
}

bool is_bw2l_layer_without_engine(std::string_view arch, size_t array_count) {
  const auto lines = bw2l_arch_lines(arch);
  if (!lines) return false;
  return std::any_of(lines->begin(), lines->end(), [&](std::string_view line) {
    const std::string_view code = split(line)[0];
    return code == "RNN" || code == "GRU" || code == "LSTM" ||
           (code == "BN" && lines->size() == 1 && array_count == 2);
  });
}

}  // namespace susurrus

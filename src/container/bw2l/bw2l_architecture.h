#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace susurrus {

/// The lines of an architecture that count: trimmed, without empty lines and comments. limit_exceeded for more than any
/// network has.
Result<std::vector<std::string_view>> bw2l_arch_lines(std::string_view text);

/// How many of `lines` the first layer takes: one, or of a residual block (RES) all that it announces. Zero when some of those
/// are missing.
size_t bw2l_layer_line_count(std::span<const std::string_view> lines);

/// What NFEAT and NLABEL stand for in an architecture, as its layers' own lines tell.
class Bw2lPlaceholders {
 public:
  /// Whether `resolved` has the words of `line`, with one number for each placeholder wherever it occurs.
  bool match(std::string_view line, std::string_view resolved);

 private:
  bool match_word(std::string_view word, std::string_view resolved);

  std::string numbers_[2];
};

/// How many arrays a layer may have: from `least` to `most` in steps of `step`.
struct Bw2lArrayCounts {
  uint64_t least = 0;
  uint64_t most = 0;
  uint64_t step = 1;

  bool allows(uint64_t count) const {
    return count >= least && count <= most && (count - least) % step == 0;
  }
};

/// Checks the grammar of one layer, a line or those of a residual block (bw2l.md §2.2): codes, numbers of words, numbers. The
/// error has the line that is wrong, and no offset; its reason is unsupported for a code that is not known.
Result<Bw2lArrayCounts> check_bw2l_layer(std::string_view arch);

/// How many elements each array of a layer has where its own line says so; 0 where it does not: NFEAT and NLABEL stand for any
/// number, and other layers have sizes that follow from what comes in. Nothing of residual blocks.
std::vector<uint64_t> bw2l_element_counts(std::string_view arch);

/// Whether BW2L defines this layer, with `array_count` arrays, but no engine runs it: recurrent
/// layers, and batch norms without their running statistics.
bool is_bw2l_layer_without_engine(std::string_view arch, size_t array_count);

}  // namespace susurrus

// A tokenizer of bytes and some words, to spell phrases with.
#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "decode/logit_filter.h"
#include "decode/small_special.h"
#include "text/small_vocabulary.h"

namespace susurrus::testing {

class PhraseVocabulary {
 public:
  explicit PhraseVocabulary(const std::vector<std::string>& words)
      : tokenizer(make_tokenizer(words)), zero(tokenizer.special().timestamp_begin) {}

  /// "no| more<2>": tokens divided by bars, timestamps as indices in angle brackets.
  std::vector<uint32_t> tokens(std::string_view text) const {
    std::vector<uint32_t> ids;
    std::string piece;
    auto end_piece = [&] {
      if (!piece.empty()) ids.push_back(tokenizer.vocabulary().find(piece).value());
      piece.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '<') {
        end_piece();
        const size_t end = text.find('>', i);
        ids.push_back(
            zero + static_cast<uint32_t>(std::stoul(std::string(text.substr(i + 1, end - i - 1)))));
        i = end;
      } else if (text[i] == '|') {
        end_piece();
      } else {
        piece += text[i];
      }
    }
    end_piece();
    return ids;
  }

  /// What a filter does to logits of 0, as "' no'=2 'x'=-inf": the tokens whose logits differ from `usual`, timestamps and
  /// <|endoftext|> as "<>" and "END".
  std::string changes(const LogitFilter& filter, std::string_view sampled, float usual = 0) const {
    const SpecialTokens& special = tokenizer.special();
    std::vector<float> logits(special.end() + 2, 0.0f);
    filter.apply(logits, tokens(sampled));
    std::string text;
    bool has_timestamps = false;
    for (uint32_t id = 0; id < logits.size(); ++id) {
      if (logits[id] == usual) continue;
      if (special.is_timestamp(id)) {
        if (has_timestamps) continue;
        has_timestamps = true;
      }
      if (!text.empty()) text += ' ';
      if (id == special.end_of_text) {
        text += "END";
      } else if (special.is_timestamp(id)) {
        text += "<>";
      } else if (id < special.end_of_text) {
        text += "'" + std::string(as_text(tokenizer.vocabulary().token(id))) + "'";
      } else {
        text += "control";
      }
      if (logits[id] != 0) text += "=" + std::to_string(static_cast<int>(logits[id]));
    }
    return text;
  }

  Tokenizer tokenizer;
  uint32_t zero;

 private:
  static Tokenizer make_tokenizer(const std::vector<std::string>& words) {
    std::vector<std::string> pieces = byte_tokens();
    pieces.insert(pieces.end(), words.begin(), words.end());
    const auto text_count = static_cast<uint32_t>(pieces.size());
    return Tokenizer(Vocabulary(table_of(pieces)), small_special(text_count));
  }
};

}  // namespace susurrus::testing

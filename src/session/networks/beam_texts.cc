#include "session/networks/beam_texts.h"

namespace susurrus {
namespace {

Error in_text(std::string_view text, const Error& error) {
  Error placed = error;
  placed.subject = text;
  placed.subject.append(": ");
  placed.subject.append(error.subject.view());
  return placed;
}

}  // namespace

Status BeamTexts::begin(std::string_view name, std::optional<uint64_t> byte_count) {
  if (name == "lexicon" && !lexicon) {
    lexicon_reader_ = std::make_unique<LexiconReader>(*tokens_);
    return ok_status();
  }
  if (name == "languageModel" && !language_model) {
    arpa_reader_ = std::make_unique<ArpaReader>();
    if (byte_count) arpa_reader_->set_byte_count(*byte_count);
    return ok_status();
  }
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(name)
      .with_expected("lexicon or languageModel, once each");
}

Status BeamTexts::push(ByteSpan piece) {
  const Status status = lexicon_reader_ ? lexicon_reader_->push(piece) : arpa_reader_->push(piece);
  if (status) return ok_status();
  return in_text(lexicon_reader_ ? "lexicon" : "language model", status.error());
}

Status BeamTexts::finish() {
  if (lexicon_reader_) {
    auto read = lexicon_reader_->finish();
    if (!read) return in_text("lexicon", read.error());
    lexicon = std::move(read).value();
    if (const size_t count = lexicon_reader_->left_out(); count > 0) {
      warnings_.push_back("lexicon: " + std::to_string(count) + " words are left out, as " +
                          std::to_string(Lexicon::kMostLabels) + " others are spelt so");
    }
    lexicon_reader_.reset();
    return ok_status();
  }
  auto read = arpa_reader_->finish();
  if (!read) return in_text("language model", read.error());
  language_model = std::move(read).value();
  arpa_reader_.reset();
  return ok_status();
}

}  // namespace susurrus

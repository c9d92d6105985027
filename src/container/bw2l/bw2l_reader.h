#pragma once
#include <optional>

#include "container/bw2l/bw2l_checks.h"
#include "container/bw2l/bw2l_model.h"
#include "stream/push_parser.h"

namespace susurrus {

/// Receives a section's bytes while a BW2L file is read.
class Bw2lSink {
 public:
  virtual ~Bw2lSink() = default;
  /// The next bytes of a text or of data, of a type that BW2L does not define, or of an array's elements, in file order. `section`
  /// knows what was read of it so far: an array is the last one it has.
  virtual Status on_bytes(const Bw2lSection& section, ByteSpan bytes) = 0;
};

/// Reads BW2L files (bw2l.md §1): sections of every type, with their pairs, arrays and layers. Keeps what describes the
/// model, no weights.
///
/// Accepted with a warning: sections of one name, of which the last one counts; bytes after the last section; and what keeps
/// a valid file from being run: a missing section, an unknown layer or an unknown criterion.
class Bw2lReader {
 public:
  /// `sink` may be null and outlives the reader.
  explicit Bw2lReader(Bw2lSink* sink = nullptr);

  /// Tells the file's length where it is known, before the first push.
  void set_file_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }
  Status push(ByteSpan chunk);
  /// Bytes that come next and describe nothing; 0 with a sink, or where the length is not known.
  uint64_t skippable() const;
  /// Skips at most `byte_count` bytes.
  void skip(uint64_t byte_count);
  /// Says that no byte follows.
  Status finish();

  // After finish().
  const Bw2lModel& model() const { return model_; }
  const Bw2lSettings& settings() const { return checked_.settings; }
  /// Without synonyms, and without what training appends.
  const std::vector<std::string>& tokens() const { return checked_.tokens; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Step = PushParser<Bw2lReader>::Step;

  // The steps, in file order.
  Status on_magic(ByteSpan bytes);
  Status on_model_name_length(ByteSpan bytes);
  Status on_model_name(ByteSpan bytes);
  Status on_section_count(ByteSpan bytes);
  Status next_section();
  Status on_name_length(ByteSpan bytes);
  Status on_name(ByteSpan bytes);
  Status on_type_length(ByteSpan bytes);
  Status on_type(ByteSpan bytes);
  Status on_description_length(ByteSpan bytes);
  Status on_description(ByteSpan bytes);
  Status on_data_length(ByteSpan bytes);
  Status on_bytes(ByteSpan bytes);
  Status end_section();
  Status next_pair();
  Status on_key_length(ByteSpan bytes);
  Status on_key(ByteSpan bytes);
  Status on_value_length(ByteSpan bytes);
  Status on_value(ByteSpan bytes);
  Status begin_array();
  Status on_dtype_length(ByteSpan bytes);
  Status on_dtype(ByteSpan bytes);
  Status on_element_count(ByteSpan bytes);
  Status end_array();
  Status begin_layers();
  Status on_layer_count(ByteSpan bytes);
  Status next_layer();
  Status on_arch_length(ByteSpan bytes);
  Status on_arch(ByteSpan bytes);
  Status on_layer_numbers(ByteSpan bytes);
  void note_unknown_layer(const Error& error);
  Status next_layer_array();
  Status on_trailing(ByteSpan bytes);

  Status expect_in_file(uint64_t byte_count, uint64_t length_at, const char* what, Step step);
  Status expect_in_section(uint64_t byte_count, uint64_t length_at, std::string_view what,
                           Step step);
  /// Adds to the size of all texts kept so far and checks it against the limit.
  Status count_text(uint64_t byte_count, uint64_t length_at, std::string_view what);
  Status check_section_count_fits(uint64_t file_byte_count) const;
  bool has_kept_text() const;
  uint64_t room() const { return section_end_ - parser_.position(); }
  Bw2lSection& section() { return model_.sections.back(); }
  Bw2lArray& array();
  std::string subject(std::string_view what) const;
  Status check_wanted_type();
  Status check_utf8(std::string_view text, uint64_t offset, std::string_view what) const;
  Status check_end();
  Status fail(Error error);

  Bw2lSink* sink_;
  PushParser<Bw2lReader> parser_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  bool failed_ = false;
  bool is_complete_ = false;

  /// The length that was read last, outside of sections' data, and where the bytes end that it promises.
  uint64_t claim_at_ = 0;
  uint64_t claim_begin_ = 0;
  uint64_t claim_end_ = 0;
  std::string claim_;
  uint64_t section_count_ = 0;
  uint64_t section_end_ = 0;
  uint64_t layer_count_ = 0;
  uint64_t layer_count_at_ = 0;
  uint64_t arch_at_ = 0;
  uint64_t scale_at_ = 0;
  uint64_t array_count_ = 0;
  /// Element counts of the layer's arrays, as far as its line gives them (bw2l_element_counts()).
  std::vector<uint64_t> element_counts_;
  uint64_t arrays_read_ = 0;
  uint64_t layers_read_ = 0;
  uint64_t pairs_read_ = 0;
  uint64_t pairs_before_section_ = 0;
  /// How many layers have an unknown code, and the first of them.
  uint64_t unknown_layers_ = 0;
  std::string unknown_layer_;
  uint64_t text_bytes_ = 0;

  Bw2lModel model_;
  Bw2lChecked checked_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus

#pragma once
#include <string>

#include "checkpoint_source.h"
#include "container/inspecting_reader.h"
#include "filterbank_choice.h"
#include "input_window.h"
#include "part_files.h"

namespace susurrus {

/// Reads a model, keeping only what it says about itself: verifies all of it, or skims it.
class InspectorBinding : public CheckpointSource {
 public:
  /// Before the first push, unless only what engines run shall be read: files that are described and nothing else are read too.
  void describe_all() { reader_.describe_all(); }
  /// Before the first push: descriptions have long lists and texts in full.
  void show_all() { reader_.show_all(); }
  /// Before the first push: model_reader.h tells what is read then.
  void skim() { reader_.skim(); }
  /// Before the first push: skims, and leaves out tensors' names where the format allows it.
  void skim_metadata() { reader_.skim_metadata(); }
  /// Before the first push: "auto", "embedded" or "whisper".
  void set_filterbank(const std::string& choice) { filterbank_ = filterbank_choice(choice); }
  double skippable() const { return static_cast<double>(reader_.skippable()); }
  void skip(double byte_count) { reader_.skip(static_cast<uint64_t>(std::max(byte_count, 0.0))); }
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  }
  ErrorText push(double byte_count) { return window_.push_to(reader_, byte_count); }
  /// Whether the first file's header, metadata and index have been read. For a model in one file,
  /// that is everything.
  bool is_described() const { return sink().has_manifest() && sink().parts().empty(); }
  /// Once for each file.
  ErrorText finish();
  /// The files that the one that was finished names: a manifest's shards, once.
  std::string missing_files() { return part_files_.take_text(reader_); }

  /// Empty where facts() has the metadata.
  ByteView metadata_text() const { return view(as_bytes(sink().metadata_text())); }
  std::string later_metadata() const { return sink().later_metadata(); }
  /// The model's facts other than its metadata, as JSON.
  std::string facts() const;

  const InspectSink& sink() const { return reader_.sink(); }
  /// After finish(): the tensors with what decoding them takes; none of formats that are only described.
  const Checkpoint& checkpoint() const override {
    const Checkpoint* described = reader_.checkpoint();
    return described != nullptr ? *described : checkpoint_;
  }

 private:
  /// When the last file was read and found sound.
  void complete();

  InspectingReader reader_;
  Checkpoint checkpoint_;
  FilterbankChoice filterbank_ = FilterbankChoice::automatic;
  std::optional<StoredFilterbank> stored_filterbank_;
  PartFiles part_files_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus

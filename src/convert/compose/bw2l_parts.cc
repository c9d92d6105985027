#include <charconv>

#include "container/bw2l/bw2l_writer.h"
#include "convert/compose/description_values.h"
#include "convert/compose/file_parts.h"

namespace susurrus {
namespace {

/// Texts, pairs and layers' lines are in the description; data and arrays' elements are the parts.
class Bw2lParts : public PartsWriter {
 public:
  Status plan(JsonValue description);
  Rehearsal rehearsal() const override { return Rehearsal::whole; }
  Status open() override {
    SUSURRUS_ASSIGN_OR_RETURN(writer_, Bw2lWriter::plan(model_));
    next_run_ = 0;
    return ok_status();
  }
  std::optional<uint64_t> file_byte_count() const override { return writer_->file_byte_count(); }
  Status begin(ByteSink& sink) override {
    SUSURRUS_RETURN_IF_ERROR(writer_->begin(sink));
    return write_texts(sink);
  }
  Status write(ByteSpan stored, ByteSink& sink) override { return writer_->write(stored, sink); }
  Status finish_part(ByteSink& sink) override {
    ++next_run_;
    return write_texts(sink);
  }
  Status finish(ByteSink&) override { return writer_->finish(); }

 private:
  Status add_section(JsonValue description);
  Status add_layers(JsonValue list, Bw2lSection& section);
  Status add_pairs(JsonValue list, Bw2lSection& section);
  Result<Bw2lArray> add_array(JsonValue description, std::string name);
  void add_part(FilePart part) {
    part.stored_byte_count = part.byte_count;
    parts_.push_back(std::move(part));
    runs_.emplace_back();
  }
  /// Up to the next part.
  Status write_texts(ByteSink& sink) {
    for (; next_run_ < runs_.size() && runs_[next_run_]; ++next_run_) {
      SUSURRUS_RETURN_IF_ERROR(writer_->write(as_bytes(*runs_[next_run_]), sink));
    }
    return ok_status();
  }

  Bw2lModel model_;
  /// In the file's order: a text, or the place of a part.
  std::vector<std::optional<std::string>> runs_;
  size_t next_run_ = 0;
  std::unique_ptr<Bw2lWriter> writer_;
};

Status Bw2lParts::plan(JsonValue description) {
  SUSURRUS_ASSIGN_OR_RETURN(model_.name, byte_string(description["name"], "name"));
  for (const JsonValue section : description["sections"].items()) {
    SUSURRUS_RETURN_IF_ERROR(add_section(section));
  }
  return ok_status();
}

Status Bw2lParts::add_section(JsonValue description) {
  Bw2lSection section;
  SUSURRUS_ASSIGN_OR_RETURN(section.name, byte_string(description["name"], "section name"));
  SUSURRUS_ASSIGN_OR_RETURN(section.type, byte_string(description["type"], section.name));
  SUSURRUS_ASSIGN_OR_RETURN(section.description,
                            byte_string(description["description"], section.name));
  switch (section.kind()) {
    case Bw2lKind::keyval:
      SUSURRUS_RETURN_IF_ERROR(add_pairs(description["entries"], section));
      break;
    case Bw2lKind::layers:
      SUSURRUS_RETURN_IF_ERROR(add_layers(description["layers"], section));
      break;
    case Bw2lKind::array: {
      SUSURRUS_ASSIGN_OR_RETURN(section.array, add_array(description, section.name));
      break;
    }
    case Bw2lKind::utf8: {
      SUSURRUS_ASSIGN_OR_RETURN(std::string text, byte_string(description["text"], section.name));
      section.byte_count = text.size();
      runs_.emplace_back(std::move(text));
      break;
    }
    case Bw2lKind::data:
    case Bw2lKind::other: {
      SUSURRUS_ASSIGN_OR_RETURN(section.byte_count,
                                whole_number(description["byteCount"], section.name));
      FilePart part;
      part.name = section.name;
      part.element_count = part.byte_count = section.byte_count;
      add_part(std::move(part));
    }
  }
  model_.sections.push_back(std::move(section));
  return ok_status();
}

Status Bw2lParts::add_pairs(JsonValue list, Bw2lSection& section) {
  for (const JsonValue entry : list.items()) {
    Bw2lPair pair;
    bool is_key = true;
    for (const JsonValue text : entry.items()) {
      SUSURRUS_ASSIGN_OR_RETURN((is_key ? pair.key : pair.value), byte_string(text, section.name));
      is_key = false;
    }
    section.pairs.push_back(std::move(pair));
  }
  return ok_status();
}

Status Bw2lParts::add_layers(JsonValue list, Bw2lSection& section) {
  for (const JsonValue description : list.items()) {
    const std::string name = section.name + "[" + std::to_string(section.layers.size()) + "]";
    Bw2lLayer layer;
    SUSURRUS_ASSIGN_OR_RETURN(layer.arch, byte_string(description["arch"], name));
    SUSURRUS_ASSIGN_OR_RETURN(layer.scale, float_of_bits(description["scale"], name + ".scale"));
    // As text: doubles do not hold all of them.
    const auto offset = description["offset"].text().value_or("");
    const char* end = offset.data() + offset.size();
    const auto parsed = std::from_chars(offset.data(), end, layer.offset);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return wrong_description(name + ".offset")
          .with_expected("an integer of 64 bits")
          .with_got(offset);
    }
    for (const JsonValue array : description["arrays"].items()) {
      SUSURRUS_ASSIGN_OR_RETURN(
          const Bw2lArray added,
          add_array(array, name + ".arrays[" + std::to_string(layer.arrays.size()) + "]"));
      layer.arrays.push_back(added);
    }
    section.layers.push_back(std::move(layer));
  }
  return ok_status();
}

Result<Bw2lArray> Bw2lParts::add_array(JsonValue description, std::string name) {
  const auto type = description["dtype"].text().value_or("");
  const auto dtype = find_bw2l_dtype(type);
  if (!dtype) {
    return wrong_description(name)
        .with_expected("fp64, fp32, fp16, i64, i32, i16 or i8")
        .with_got(type);
  }
  Bw2lArray array;
  array.dtype = *dtype;
  SUSURRUS_ASSIGN_OR_RETURN(array.count, whole_number(description["length"], name));
  FilePart part;
  part.name = std::move(name);
  part.dtype = bw2l_dtype_traits(*dtype).name;
  if (*dtype == Bw2lDtype::fp32) part.weights = Dtype::f32;
  if (*dtype == Bw2lDtype::fp16) part.weights = Dtype::f16;
  part.element_count = array.count;
  part.byte_count = array.byte_count();
  add_part(std::move(part));
  return array;
}

}  // namespace

PlannedParts plan_bw2l_parts(JsonValue description) {
  auto parts = std::make_unique<Bw2lParts>();
  SUSURRUS_RETURN_IF_ERROR(parts->plan(description));
  return std::unique_ptr<PartsWriter>(std::move(parts));
}

}  // namespace susurrus

#include "container/bw2l/bw2l_writer.h"

#include "base/append.h"
#include "base/checked_math.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr size_t kShortString = 255;

void append_short(std::vector<uint8_t>& out, std::string_view text) {
  append(out, static_cast<uint8_t>(text.size()));
  append(out, text);
}

void append_long(std::vector<uint8_t>& out, std::string_view text) {
  append<uint64_t>(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

Error wrong_state(const char* what) {
  return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject(what);
}

/// Adds up sizes; one that overflows makes it fail for good.
class Sum {
 public:
  void add(std::optional<uint64_t> count) {
    if (total_) total_ = count ? checked_add(*total_, *count) : count;
  }
  std::optional<uint64_t> total() const { return total_; }

 private:
  std::optional<uint64_t> total_ = 0;
};

void add_array(Sum& sum, const Bw2lArray& array) {
  const Bw2lDtypeTraits& traits = bw2l_dtype_traits(array.dtype);
  sum.add(1 + traits.name.size() + 8);
  sum.add(checked_multiply(array.count, traits.byte_count));
}

std::optional<uint64_t> data_byte_count(const Bw2lSection& section) {
  Sum sum;
  switch (section.kind()) {
    case Bw2lKind::keyval:
      for (const Bw2lPair& pair : section.pairs) sum.add(9 + pair.key.size() + pair.value.size());
      break;
    case Bw2lKind::array: add_array(sum, section.array); break;
    case Bw2lKind::layers:
      sum.add(8);
      for (const Bw2lLayer& layer : section.layers) {
        sum.add(28 + layer.arch.size());
        for (const Bw2lArray& array : layer.arrays) add_array(sum, array);
      }
      break;
    default: sum.add(section.byte_count);
  }
  return sum.total();
}

void append_array_header(std::vector<uint8_t>& out, const Bw2lArray& array) {
  append_short(out, bw2l_dtype_traits(array.dtype).name);
  append(out, array.count);
}

}  // namespace

Result<std::unique_ptr<Bw2lWriter>> Bw2lWriter::plan(Bw2lModel model) {
  const auto check = [](std::string_view text, const char* subject) -> Status {
    if (text.size() <= kShortString) return ok_status();
    return wrong_argument(subject)
        .with_expected("at most 255 bytes")
        .with_got(uint64_t{text.size()});
  };
  SUSURRUS_RETURN_IF_ERROR(check(model.name, "name"));
  Sum sum;
  sum.add(14 + model.name.size());
  for (Bw2lSection& section : model.sections) {
    SUSURRUS_RETURN_IF_ERROR(check(section.name, "section name"));
    SUSURRUS_RETURN_IF_ERROR(check(section.type, "section type"));
    for (const Bw2lPair& pair : section.pairs) SUSURRUS_RETURN_IF_ERROR(check(pair.key, "key"));
    const auto byte_count = data_byte_count(section);
    sum.add(18 + section.name.size() + section.type.size() + section.description.size());
    sum.add(byte_count);
    if (!sum.total()) return wrong_argument(section.name).with_expected("sizes that fit 64 bits");
    section.byte_count = *byte_count;
  }
  std::unique_ptr<Bw2lWriter> writer(new Bw2lWriter());
  writer->file_byte_count_ = *sum.total();
  writer->model_ = std::move(model);
  return writer;
}

/// Appends what stands in front of the next bytes that the caller has; left_ says how many those are. False at the end.
bool Bw2lWriter::next_bytes(std::vector<uint8_t>& out) {
  if (section_ == model_.sections.size()) return false;
  const Bw2lSection& section = model_.sections[section_];
  const auto end_section = [this] {
    in_section_ = false;
    ++section_;
    return true;
  };
  const Bw2lKind kind = section.kind();
  if (!in_section_) {
    in_section_ = true;
    append_short(out, section.name);
    append_short(out, section.type);
    append_long(out, section.description);
    append(out, section.byte_count);
    layer_ = 0;
    in_layer_ = false;
    if (kind == Bw2lKind::layers) append<uint64_t>(out, section.layers.size());
    if (kind == Bw2lKind::array) append_array_header(out, section.array);
    if (kind == Bw2lKind::keyval) {
      for (const Bw2lPair& pair : section.pairs) {
        append_short(out, pair.key);
        append_long(out, pair.value);
      }
    }
    if (kind != Bw2lKind::layers) {
      left_ = kind == Bw2lKind::keyval  ? 0
              : kind == Bw2lKind::array ? section.array.byte_count()
                                        : section.byte_count;
      return end_section();
    }
  }
  if (layer_ == section.layers.size()) return end_section();
  const Bw2lLayer& layer = section.layers[layer_];
  if (!in_layer_) {
    in_layer_ = true;
    array_ = 0;
    append_long(out, layer.arch);
    append(out, layer.scale);
    append(out, layer.offset);
    append<uint64_t>(out, layer.arrays.size());
  }
  if (array_ == layer.arrays.size()) {
    in_layer_ = false;
    ++layer_;
    return true;
  }
  append_array_header(out, layer.arrays[array_]);
  left_ = layer.arrays[array_++].byte_count();
  return true;
}

Status Bw2lWriter::go_on(ByteSink& sink) {
  constexpr size_t kEnough = 64 << 10;
  std::vector<uint8_t> out;
  while (left_ == 0 && !is_complete_) {
    is_complete_ = !next_bytes(out);
    if (out.size() < kEnough) continue;
    SUSURRUS_RETURN_IF_ERROR(sink.write(out));
    out.clear();
  }
  return sink.write(out);
}

Status Bw2lWriter::begin(ByteSink& sink) {
  if (has_begun_) return wrong_state("begin");
  has_begun_ = true;
  std::vector<uint8_t> out(kBw2lMagic.begin(), kBw2lMagic.end());
  append(out, kBw2lVersion);
  append_short(out, model_.name);
  append<uint64_t>(out, model_.sections.size());
  SUSURRUS_RETURN_IF_ERROR(sink.write(out));
  return go_on(sink);
}

Status Bw2lWriter::write(ByteSpan bytes, ByteSink& sink) {
  if (bytes.empty()) return ok_status();
  if (!has_begun_) return wrong_state("write");
  if (bytes.size() > left_) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bounds)
        .with_subject("section bytes")
        .with_expected("at most " + std::to_string(left_))
        .with_got(uint64_t{bytes.size()});
  }
  SUSURRUS_RETURN_IF_ERROR(sink.write(bytes));
  left_ -= bytes.size();
  return left_ == 0 ? go_on(sink) : ok_status();
}

Status Bw2lWriter::finish() {
  if (!has_begun_ || !is_complete_ || left_ > 0) return wrong_state("finish");
  return ok_status();
}

}  // namespace susurrus

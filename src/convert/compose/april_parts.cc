#include <algorithm>

#include "container/april/april_writer.h"
#include "convert/compose/description_values.h"
#include "convert/compose/file_parts.h"

namespace susurrus {
namespace {

/// The networks are the parts, in the file's order.
class AprilParts : public PartsWriter {
 public:
  Status plan(JsonValue description);
  Status open() override {
    SUSURRUS_ASSIGN_OR_RETURN(writer_, AprilWriter::plan(model_, order_));
    return ok_status();
  }
  std::optional<uint64_t> file_byte_count() const override { return writer_->file_byte_count(); }
  Status begin(ByteSink& sink) override { return writer_->begin(sink); }
  Status write(ByteSpan stored, ByteSink& sink) override { return writer_->write(stored, sink); }
  Status finish(ByteSink&) override { return writer_->finish(); }

 private:
  Status read_texts(JsonValue description);
  Status read_order(JsonValue order);

  AprilModel model_;
  AprilOrder order_ = kAprilOrder;
  std::unique_ptr<AprilWriter> writer_;
};

Status AprilParts::read_texts(JsonValue description) {
  SUSURRUS_ASSIGN_OR_RETURN(model_.name, byte_string(description["name"], "name"));
  SUSURRUS_ASSIGN_OR_RETURN(model_.description,
                            byte_string(description["description"], "description"));
  SUSURRUS_ASSIGN_OR_RETURN(const std::string language,
                            byte_string(description["language"], "language"));
  if (language.size() > model_.language_tag.size()) {
    return wrong_description("language").with_expected("at most 8 bytes").with_got(language);
  }
  std::copy(language.begin(), language.end(), model_.language_tag.begin());
  for (const AprilParamField& field : kAprilParamFields) {
    // It follows from the tokens.
    if (field.member == &AprilParams::token_count) continue;
    SUSURRUS_ASSIGN_OR_RETURN(
        const int64_t number,
        integer_between(description["params"][field.name], INT32_MIN, INT32_MAX, field.name));
    model_.params.*field.member = static_cast<int32_t>(number);
  }
  for (const JsonValue token : description["tokens"].items()) {
    SUSURRUS_ASSIGN_OR_RETURN(std::string bytes, byte_string(token, "tokens"));
    model_.tokens.push_back(std::move(bytes));
  }
  return ok_status();
}

Status AprilParts::read_order(JsonValue order) {
  if (!order.exists()) return ok_status();
  size_t place = 0;
  for (const JsonValue item : order.items()) {
    const auto name = item.text().value_or("");
    const auto* network = std::find(kAprilNetworkNames.begin(), kAprilNetworkNames.end(), name);
    const bool is_known = network != kAprilNetworkNames.end() || name == "params";
    if (!is_known || place == order_.size()) {
      return wrong_description("order").with_expected("encoder, decoder, joiner and params");
    }
    order_[place++] = static_cast<AprilPart>(network - kAprilNetworkNames.begin());
  }
  if (place == order_.size()) return ok_status();
  return wrong_description("order").with_expected("each part once");
}

Status AprilParts::plan(JsonValue description) {
  SUSURRUS_RETURN_IF_ERROR(read_texts(description));
  SUSURRUS_RETURN_IF_ERROR(read_order(description["order"]));
  for (const AprilPart part : order_) {
    if (part == AprilPart::params) continue;
    const auto index = static_cast<size_t>(part);
    const std::string name(kAprilNetworkNames[index]);
    SUSURRUS_ASSIGN_OR_RETURN(const uint64_t byte_count,
                              whole_number(description["networks"][name], name));
    model_.network_ranges[index].byte_count = byte_count;
    FilePart given;
    given.name = name;
    given.element_count = given.byte_count = given.stored_byte_count = byte_count;
    parts_.push_back(std::move(given));
  }
  return ok_status();
}

}  // namespace

PlannedParts plan_april_parts(JsonValue description) {
  auto parts = std::make_unique<AprilParts>();
  SUSURRUS_RETURN_IF_ERROR(parts->plan(description));
  return std::unique_ptr<PartsWriter>(std::move(parts));
}

}  // namespace susurrus

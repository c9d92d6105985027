#include "convert/compose/checked_sink.h"

#include <algorithm>

#include "base/json_document.h"

namespace susurrus {

CheckedSink::CheckedSink(ByteSink* target, std::optional<uint64_t> file_byte_count)
    : target_(target) {
  reader_.describe_all();
  reader_.skim();
  if (file_byte_count) reader_.set_file_byte_count(*file_byte_count);
}

Status CheckedSink::write(ByteSpan bytes) {
  for (ByteSpan left = bytes; !left.empty();) {
    const uint64_t skippable = reader_.skippable();
    if (skippable == 0) {
      SUSURRUS_RETURN_IF_ERROR(reader_.push(left));
      break;
    }
    const auto count = static_cast<size_t>(std::min<uint64_t>(skippable, left.size()));
    reader_.skip(count);
    left = left.subspan(count);
  }
  return target_ != nullptr ? target_->write(bytes) : ok_status();
}

Status CheckedSink::finish() { return reader_.finish(); }

std::vector<std::string> CheckedSink::warnings() const {
  if (reader_.describer() == nullptr) return reader_.sink().warnings();
  std::vector<std::string> warnings;
  const auto facts = JsonDocument::parse(reader_.describer()->facts(), JsonOrigin{});
  if (!facts) return warnings;
  for (const JsonValue warning : facts->root()["warnings"].items()) {
    warnings.emplace_back(warning.text().value_or(""));
  }
  return warnings;
}

}  // namespace susurrus

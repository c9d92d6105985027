// The steps of the JSON layout, apart from the others: modules that do not open it do not hold them.
#include "base/json_document.h"
#include "container/apr1/apr1_json_metadata.h"
#include "container/apr1/apr1_reader.h"

namespace susurrus {
namespace {

constexpr size_t kIndexSizeBytes = 4;
constexpr size_t kJsonHeaderBytes = 8;

Error no_object() {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .at(kJsonHeaderBytes)
      .with_subject("metadata")
      .with_expected("an object");
}

}  // namespace

std::unique_ptr<Apr1Reader> Apr1Reader::json(ModelSink& sink) {
  auto reader = std::make_unique<Apr1Reader>(sink, Apr1Layout::json);
  reader->parser_.expect(kJsonHeaderBytes, "header", &Apr1Reader::on_metadata_size);
  return reader;
}

Status Apr1Reader::on_metadata_size(ByteSpan bytes) {
  const uint32_t byte_count = load_le<uint32_t>(bytes.data() + kApr1Magic.size());
  stage_ = Stage::metadata;
  if (byte_count > limits::kMetadataBytes) {
    return apr1_too_long(kApr1Magic.size(), "metadata", limits::kMetadataBytes, byte_count);
  }
  if (byte_count == 0) return no_object();
  SUSURRUS_RETURN_IF_ERROR(check_size(kJsonHeaderBytes + uint64_t{byte_count}));
  metadata_bytes_.start(byte_count, "metadata", JsonDocument::kPaddingBytes);
  parser_.stream(byte_count, &Apr1Reader::on_metadata, &Apr1Reader::on_metadata_end);
  return ok_status();
}

Status Apr1Reader::on_metadata(ByteSpan bytes) { return metadata_bytes_.append(bytes); }

Status Apr1Reader::on_metadata_end() {
  if (sink_.wants_metadata_text()) metadata_text_ = as_text(metadata_bytes_.bytes());
  const size_t byte_count = metadata_bytes_.bytes().size();
  const JsonOrigin origin = {kJsonHeaderBytes, ErrorReason::bad_metadata, "metadata"};
  auto document = JsonDocument::parse_in_place(metadata_bytes_.take(), byte_count, origin);
  if (!document) return document.error();
  if (!document->root().is_object()) return no_object();
  // Kept until the tensors' shapes are known, which tell what it does not.
  document_.emplace(std::move(document).value());
  section("header", 0, kJsonHeaderBytes);
  section("metadata", kJsonHeaderBytes, parser_.position());
  stage_ = Stage::index_size;
  // The two numbers and the list's bracket.
  parser_.expect(2 * kIndexSizeBytes, "tensor index", &Apr1Reader::on_index_size);
  return ok_status();
}

Status Apr1Reader::on_index_size(ByteSpan bytes) {
  json_tensor_count_ = load_le<uint32_t>(bytes.data());
  const uint32_t byte_count = load_le<uint32_t>(bytes.data() + kIndexSizeBytes);
  header_end_ = parser_.position();
  stage_ = Stage::json_index;
  if (json_tensor_count_ == 0) return no_tensors(0);
  if (byte_count > limits::kIndexBytes) {
    return apr1_too_long(header_end_ - kIndexSizeBytes, "tensor index", limits::kIndexBytes,
                         byte_count);
  }
  SUSURRUS_RETURN_IF_ERROR(check_size(header_end_ + byte_count));
  parser_.expect(byte_count, "tensor index", &Apr1Reader::on_json_index);
  return ok_status();
}

Status Apr1Reader::on_json_index(ByteSpan bytes) {
  if (bytes.empty() || bytes[0] != '[') return without_list();
  section("index", header_end_, parser_.position());
  const JsonOrigin origin = {header_end_, ErrorReason::bad_index, "tensor index"};
  SUSURRUS_ASSIGN_OR_RETURN(const JsonDocument list, JsonDocument::parse(as_text(bytes), origin));
  SUSURRUS_RETURN_IF_ERROR(read_apr1_json_index(list.root(), json_tensor_count_, header_end_,
                                                parser_.position(), index_));
  SUSURRUS_ASSIGN_OR_RETURN(Apr2Metadata metadata,
                            read_apr1_json_metadata(*document_, index_.tensors, kJsonHeaderBytes));
  document_.reset();
  for (const std::string& warning : metadata.warnings) sink_.on_warning(warning);
  metadata_ = std::move(metadata.model);
  return take_index();
}

}  // namespace susurrus

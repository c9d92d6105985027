#include "container/apr2/apr2_shards_reader.h"

#include <algorithm>
#include <initializer_list>

#include "base/limits.h"
#include "container/apr2/apr2_flags.h"
#include "container/detecting_reader.h"
#include "stream/crc32_text.h"
#include "stream/running_crc32.h"
#include "stream/short_crc32.h"

namespace susurrus {
namespace {

Error wrong_shard(std::string_view subject) {
  return make_error(ErrorCode::malformed, ErrorReason::manifest).at(0).with_subject(subject);
}

template <typename T>
ByteSpan bytes_in(std::span<const T> items) {
  return {reinterpret_cast<const uint8_t*>(items.data()), items.size_bytes()};
}

uint32_t crc_of(std::initializer_list<ByteSpan> parts) {
  // Too large for the stack.
  const auto crc = std::make_unique<RunningCrc32>();
  for (const ByteSpan part : parts) crc->update(part);
  return crc->value();
}

}  // namespace

Apr2ShardsReader::Apr2ShardsReader(ModelSink& sink) : sink_(sink) {
  text_.start(limits::kMetadataBytes, "manifest", JsonDocument::kPaddingBytes);
}

Apr2ShardsReader::~Apr2ShardsReader() = default;

void Apr2ShardsReader::set_file_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }

std::vector<PartFile> Apr2ShardsReader::missing_files() const {
  std::vector<PartFile> files;
  if (!manifest_) return files;
  for (size_t i = current_; i < manifest_->shards.size(); ++i) {
    files.push_back({manifest_->shards[i].file, manifest_->shards[i].byte_count});
  }
  return files;
}

void Apr2ShardsReader::skip(uint64_t byte_count) {
  if (!reader_ || byte_count == 0) return;
  reader_->skip(byte_count);
  received_ += byte_count;
  tail_ = {};
}

NextBytes Apr2ShardsReader::next_bytes() { return reader_ ? reader_->next_bytes() : NextBytes(); }

Status Apr2ShardsReader::push(ByteSpan chunk) {
  if (!manifest_) {
    if (chunk.size() > text_.missing()) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .at(limits::kMetadataBytes)
          .with_subject("manifest")
          .with_expected(limits::kMetadataBytes);
    }
    return text_.append(chunk);
  }
  if (current_ == manifest_->shards.size()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("push");
  }
  if (!reader_) SUSURRUS_RETURN_IF_ERROR(start_shard());
  received_ += chunk.size();
  tail_.push(chunk, [](ByteSpan) {});
  if (auto status = reader_->push(chunk); !status) return in_shard(status.error());
  return ok_status();
}

Status Apr2ShardsReader::finish() {
  if (!manifest_) return read_manifest();
  if (current_ == manifest_->shards.size()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("finish");
  }
  if (!reader_) SUSURRUS_RETURN_IF_ERROR(start_shard());
  return finish_shard();
}

Status Apr2ShardsReader::read_manifest() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = as_text(text_.bytes());
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const bool speaks_of_shards = text.find("\"shards\"") != text.npos;
  auto document = JsonDocument::parse(text, JsonOrigin{0, ErrorReason::manifest, "manifest"});
  text_.take();
  known_byte_count_.reset();
  if (!document) {
    const bool is_broken_manifest =
        speaks_of_shards || document.error().code != ErrorCode::malformed;
    return is_broken_manifest ? document.error() : cannot_read(FileKind::other_json);
  }
  SUSURRUS_ASSIGN_OR_RETURN(ShardManifest manifest,
                            read_shard_manifest(std::move(document).value()));
  if (manifest.is_aprender) sink_.on_warning("an aprender manifest, which has no checksums");
  manifest_.emplace(std::move(manifest));
  return ok_status();
}

Status Apr2ShardsReader::start_shard() {
  received_ = 0;
  tail_ = {};
  ModelSink& shard_sink = *this;  // a private base
  reader_ = std::make_unique<DetectingReader>(shard_sink, DetectingReader::Wanted::shard);
  if (known_byte_count_) reader_->set_file_byte_count(*known_byte_count_);
  reader_->skim_like(*this);
  return ok_status();
}

Status Apr2ShardsReader::check_byte_count(uint64_t byte_count) const {
  const uint64_t expected = manifest_->shards[current_].byte_count;
  if (byte_count == expected) return ok_status();
  return wrong_shard("size").with_expected(expected).with_got(byte_count);
}

Status Apr2ShardsReader::finish_shard() {
  if (auto status = check_byte_count(received_); !status) return in_shard(status.error());
  if (auto status = reader_->finish(); !status) return in_shard(status.error());
  // The footer's checksum, which was right, goes on over the footer itself and what may follow it.
  const ByteSpan tail = tail_.bytes();
  const ByteSpan last = tail.last(kApr2FooterBytes);
  const auto footer = parse_apr2_footer(last);
  const ByteSpan rest = footer ? last : tail;
  const uint32_t own = load_le<uint32_t>(rest.data());
  const uint32_t found = short_crc32(own, rest);
  const ShardEntry& expected = manifest_->shards[current_];
  if (expected.crc32 && *expected.crc32 != found && *expected.crc32 != own) {
    return in_shard(wrong_shard("crc32")
                        .with_expected(crc32_text(*expected.crc32))
                        .with_got(crc32_text(found)));
  }
  if (expected.footer_crc32 && *expected.footer_crc32 != own) {
    return in_shard(wrong_shard("footer_crc32")
                        .with_expected(crc32_text(*expected.footer_crc32))
                        .with_got(crc32_text(own)));
  }
  reader_.reset();
  known_byte_count_.reset();
  ++current_;
  // The first one has all metadata.
  if (skims_metadata_) current_ = static_cast<uint32_t>(manifest_->shards.size());
  return ok_status();
}

Status Apr2ShardsReader::on_manifest(ModelManifest& shard) {
  SUSURRUS_RETURN_IF_ERROR(check_model(shard));
  if (!skims_metadata_) SUSURRUS_RETURN_IF_ERROR(check_tensors(shard));
  if (known_byte_count_) SUSURRUS_RETURN_IF_ERROR(check_byte_count(*known_byte_count_));
  SUSURRUS_RETURN_IF_ERROR(check_metadata(*shard.metadata));
  if ((shard.flags & apr2_flags::kSharded) == 0) on_warning("the flag SHARDED is missing");
  shard.part = current_;
  shard.part_count = static_cast<uint32_t>(manifest_->shards.size());
  shard.file = name_of(current_);
  return sink_.on_manifest(shard);
}

Status Apr2ShardsReader::check_model(const ModelManifest& shard) {
  Model model = {shard.version_major, shard.version_minor, shard.metadata->model_type, {}, {}};
  if (const WhisperMetadata* whisper = shard.metadata->whisper()) {
    model.dimensions = whisper->dimensions;
  } else {
    model.architecture = shard.metadata->other()->architecture;
  }
  if (current_ == 0) model_ = model;
  if (model == model_) return ok_status();
  return wrong_shard("architecture")
      .with_expected("version and dimensions of " + std::string(name_of(0)))
      .with_got("those of another model");
}

Status Apr2ShardsReader::check_metadata(const ModelMetadata& metadata) {
  Statements found;
  const VocabularyBytes& vocabulary = metadata.vocabulary;
  if (vocabulary.token_count() > 0) {
    found.vocabulary_crc32 = crc_of({bytes_in(vocabulary.ends()), vocabulary.bytes()});
  }
  const std::span<const float> filterbank = metadata.mel_filterbank.floats();
  if (!filterbank.empty()) found.filterbank_crc32 = crc_of({bytes_in(filterbank)});
  if (const WhisperMetadata* whisper = metadata.whisper()) {
    found.is_multilingual = whisper->is_multilingual;
    found.suppress_tokens = whisper->suppress_tokens;
    found.begin_suppress_tokens = whisper->begin_suppress_tokens;
    found.max_initial_timestamp_index = whisper->max_initial_timestamp_index;
    if (!whisper->alignment_heads.empty()) found.alignment_heads = whisper->alignment_heads;
  }
  const char* contradicted = nullptr;
  const auto state = [&](const char* name, auto& own, auto& stated) {
    if (!own) return;
    if (!stated)
      stated = std::move(own);
    else if (own != stated && contradicted == nullptr)
      contradicted = name;
  };
  state("vocab", found.vocabulary_crc32, stated_.vocabulary_crc32);
  state("mel_filterbank", found.filterbank_crc32, stated_.filterbank_crc32);
  state("is_multilingual", found.is_multilingual, stated_.is_multilingual);
  state("suppress_tokens", found.suppress_tokens, stated_.suppress_tokens);
  state("begin_suppress_tokens", found.begin_suppress_tokens, stated_.begin_suppress_tokens);
  state("max_initial_timestamp_index", found.max_initial_timestamp_index,
        stated_.max_initial_timestamp_index);
  state("alignment_heads", found.alignment_heads, stated_.alignment_heads);
  if (contradicted == nullptr) return ok_status();
  return wrong_shard(contradicted)
      .with_expected("what an earlier shard says, or nothing")
      .with_got("another one");
}

Status Apr2ShardsReader::check_tensors(const ModelManifest& shard) const {
  const NameIndex& map = manifest_->tensors;
  NameIndex found;
  found.reserve(shard.tensors.size());
  const TensorInfo* foreign = nullptr;
  size_t own_count = 0;
  for (const TensorInfo& tensor : shard.tensors) {
    found.add(tensor.name, 0);
    const auto* mapped = map.find(tensor.name);
    if (mapped != nullptr && mapped->place == current_)
      ++own_count;
    else if (foreign == nullptr)
      foreign = &tensor;
  }
  if (foreign != nullptr) {
    const auto* mapped = map.find(foreign->name);
    if (mapped == nullptr) {
      return wrong_shard(foreign->name).with_expected("a tensor that the manifest lists");
    }
    const std::string other(name_of(mapped->place));
    if (own_count > 0) {
      return wrong_shard(foreign->name).with_expected("it in " + other + " alone");
    }
    return wrong_shard("tensors")
        .with_expected("those of this shard")
        .with_got((mapped->place < current_ ? "a second copy of " : "those of ") + other);
  }
  found.sort();
  for (const NameIndex::Entry& mapped : map.entries()) {
    if (mapped.place == current_ && found.find(mapped.name) == nullptr) {
      return wrong_shard(mapped.name).with_expected("the tensor, which the manifest lists here");
    }
  }
  return ok_status();
}

Error Apr2ShardsReader::in_shard(const Error& error) const {
  if (error.code == ErrorCode::missing_tensor) return error;  // from all shards
  // What is wrong with a file of another size is its size, unless it could be seen to be another shard.
  Error named = error;
  if (known_byte_count_ && error.reason != ErrorReason::manifest) {
    if (auto status = check_byte_count(*known_byte_count_); !status) named = status.error();
  }
  const std::string subject(named.subject.view());
  named.subject.assign(name_of(current_));
  if (!subject.empty()) {
    named.subject.append(": ");
    named.subject.append(subject);
  }
  return named;
}

void Apr2ShardsReader::on_warning(std::string_view text) {
  sink_.on_warning(std::string(name_of(current_)) + ": " + std::string(text));
}

}  // namespace susurrus

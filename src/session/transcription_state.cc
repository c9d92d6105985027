#include "session/transcription_state.h"

#include "base/json_writer.h"

namespace susurrus {
namespace {

/// Far beyond any recording, and far enough from the end of 64 bits to be added to.
constexpr uint64_t kMostFrames = uint64_t{1} << 40;
constexpr uint64_t kMost32 = 0xFFFFFFFF;
constexpr double kMostSeconds = 1e10;

/// Reads members of the object, and keeps the first error.
class Reader {
 public:
  explicit Reader(JsonValue object) : object_(object) {}

  template <typename T>
  void read(std::string_view name, T& target, uint64_t most) {
    const auto number = object_[name].unsigned_integer();
    if (!number || *number > most) return fail(name, "a whole number in its range");
    target = static_cast<T>(*number);
  }
  void read(std::string_view name, double& target) {
    const auto number = object_[name].number();
    if (!number || !(*number >= 0 && *number <= kMostSeconds)) return fail(name, "seconds");
    target = *number;
  }
  /// 0 where it is missing, as in states of earlier versions.
  void read_probability(std::string_view name, double& target) {
    const JsonValue value = object_[name];
    if (!value.exists()) return;
    const auto number = value.number();
    if (!number || !(*number >= 0 && *number <= 1)) return fail(name, "0 to 1");
    target = *number;
  }
  void read(std::string_view name, FixedString<16>& target) {
    const auto text = object_[name].text();
    if (!text) return fail(name, "a language");
    target = *text;
  }
  JsonValue list(std::string_view name) {
    const JsonValue list = object_[name];
    if (!list.is_array()) fail(name, "a list");
    return list;
  }
  Status status() const { return status_; }

 private:
  void fail(std::string_view name, std::string_view expected) {
    if (status_) status_ = state_error(name, expected);
  }

  JsonValue object_;
  Status status_ = ok_status();
};

}  // namespace

Error state_error(std::string_view subject, std::string_view expected) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(subject)
      .with_expected(expected);
}

std::string to_json(const TranscriptionState& state) {
  JsonWriter json;
  json.begin_object()
      .field("seek", state.seek)
      .field("clip", state.clip)
      .field("segmentCount", state.segment_count)
      .field("rejectedCount", state.rejected_count)
      .field("promptBegin", state.prompt_begin)
      .field("language", state.language.view())
      .field("languageProbability", state.language_probability)
      .field("lastSpeechEnd", state.last_speech_end)
      .field("textEnd", state.text_end)
      .field("unheardEnd", state.unheard_end)
      .field("languageChange", state.change)
      .field("countedEnd", state.quiet.counted_end);
  json.key("shares").begin_array();
  for (const auto& share : state.shares) {
    json.begin_object()
        .field("language", share.language.view())
        .field("seconds", share.seconds)
        .field("probability", share.probability)
        .end_object();
  }
  json.end_array().key("levels").begin_array();
  for (const auto& count : state.quiet.counts) {
    json.begin_array().value(count.level).value(count.frames).end_array();
  }
  json.end_array().end_object();
  return std::move(json).text();
}

Result<TranscriptionState> parse_transcription_state(JsonValue json) {
  TranscriptionState state;
  Reader reader(json);
  reader.read("seek", state.seek, kMostFrames);
  reader.read("clip", state.clip, kMost32);
  reader.read("segmentCount", state.segment_count, kMost32);
  reader.read("rejectedCount", state.rejected_count, kMost32);
  reader.read("promptBegin", state.prompt_begin, kMost32);
  reader.read("language", state.language);
  reader.read_probability("languageProbability", state.language_probability);
  reader.read("lastSpeechEnd", state.last_speech_end);
  reader.read("textEnd", state.text_end);
  // States of earlier versions have none.
  if (json["unheardEnd"].exists()) reader.read("unheardEnd", state.unheard_end, kMostFrames);
  if (json["languageChange"].exists()) reader.read("languageChange", state.change, kMostFrames);
  reader.read("countedEnd", state.quiet.counted_end, kMostFrames);
  for (JsonValue item : reader.list("shares").items()) {
    Reader share(item);
    auto& target = state.shares.emplace_back();
    share.read("language", target.language);
    share.read("seconds", target.seconds);
    share.read_probability("probability", target.probability);
    SUSURRUS_RETURN_IF_ERROR(share.status());
  }
  for (JsonValue item : reader.list("levels").items()) {
    auto& target = state.quiet.counts.emplace_back();
    uint32_t* const parts[] = {&target.level, &target.frames};
    size_t count = 0;
    for (JsonValue part : item.items()) {
      const auto number = part.unsigned_integer();
      if (count == 2 || !number || *number > kMost32) return state_error("levels", "pairs");
      *parts[count++] = static_cast<uint32_t>(*number);
    }
    if (count != 2) return state_error("levels", "pairs");
  }
  for (JsonValue item : reader.list("tokens").items()) {
    const auto token = item.unsigned_integer();
    if (!token || *token > kMost32) return state_error("tokens", "token ids");
    state.tokens.push_back(static_cast<uint32_t>(*token));
  }
  SUSURRUS_RETURN_IF_ERROR(reader.status());
  return state;
}

}  // namespace susurrus

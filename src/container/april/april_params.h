#pragma once
#include "container/april/april_model.h"
#include "stream/push_parser.h"

namespace susurrus {

/// Checks the numbers of params at `file_offset` (april.md §4, 18 to 26); `token_bytes` is the room for the token table.
/// Adds what is odd but harmless to `warnings`.
Status check_april_params(const AprilParams& params, uint64_t file_offset, uint64_t token_bytes,
                          std::vector<std::string>& warnings);

/// Reads the params blob of an .april file, its token table included, pushed in pieces of any size. Errors name the field
/// and its place in the file; a table that the blob is too short for is bad_vocabulary.
class AprilParamsReader {
 public:
  AprilParamsReader() = default;
  explicit AprilParamsReader(ByteRange range);

  /// Not more than the range has.
  Status push(ByteSpan bytes);
  uint64_t position() const { return range_.offset + parser_.position(); }

  // When the whole range was pushed.
  AprilParams params;
  std::vector<std::string> tokens;
  std::vector<std::string> warnings;

 private:
  Status on_numbers(ByteSpan bytes);
  Status next_token();
  Status on_token_length(ByteSpan bytes);
  Status on_token(ByteSpan bytes);
  Status on_slack(ByteSpan bytes);
  Error bad_token(uint64_t offset) const;
  void warn_once(bool& warned, const char* text);
  uint64_t room() const { return range_.byte_count - parser_.position(); }

  ByteRange range_;
  PushParser<AprilParamsReader> parser_;
  uint64_t token_bytes_ = 0;
  bool warned_nul_ = false;
  bool warned_utf8_ = false;
  bool warned_slack_ = false;
};

}  // namespace susurrus

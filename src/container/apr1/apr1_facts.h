#pragma once
#include <string>

#include "base/bytes.h"
#include "container/model_metadata.h"

namespace susurrus {

// What `inspect` shows of a binary APR1, which has a header where other formats have metadata. `header` as stored.

/// Space-separated: "COMPRESSED VOCABULARY FILTERBANK".
std::string apr1_flag_names(ByteSpan header);

/// The header's contents as JSON with APR2's keys; of vocabulary and filterbank only the lengths.
std::string apr1_metadata_text(ByteSpan header, const ModelMetadata& metadata);

}  // namespace susurrus

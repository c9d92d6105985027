// The driver's replies about words and their positions.
#pragma once
#include "base/json_document.h"
#include "base/json_writer.h"
#include "session/word_aligner.h"
#include "text/tokenizer.h"

namespace susurrus::driver {

/// {"tokens":[...],"language":"en"} → "words":[{word, tokens}]
void split_words(JsonValue request, const Tokenizer& tokenizer, JsonWriter& answer);

/// A finished alignment: "path":[[row, column], ...], and "costs", those at the request's "cost_indices".
void describe_alignment(JsonValue request, const WordAligner& aligner, JsonWriter& answer);

}  // namespace susurrus::driver

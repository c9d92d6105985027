// The reference's options as Susurrus's API has them.

const idList = (text) => (text === '' ? [] : text.split(',').map(Number));

function suppressed(value) {
  if (value === '-1') return -1;
  return typeof value === 'string' ? idList(value) : value;
}

/** Reference name → [API name, value of the API]. */
const same = (value) => value;
const names = {
  language: ['language', same],
  task: ['task', same],
  beam_size: ['beamSize', same],
  patience: ['patience', same],
  length_penalty: ['lengthPenalty', same],
  suppress_tokens: ['suppressTokens', suppressed],
  suppress_blank: ['suppressBlank', same],
  max_initial_timestamp: ['maxInitialTimestamp', same],
  sample_len: ['sampleLength', same],
  prompt: ['initialPrompt', same],
  initial_prompt: ['initialPrompt', same],
  carry_initial_prompt: ['carryInitialPrompt', same],
  prefix: ['prefix', same],
  condition_on_previous_text: ['conditionOnPreviousText', same],
  compression_ratio_threshold: ['compressionRatioThreshold', same],
  logprob_threshold: ['logprobThreshold', same],
  no_speech_threshold: ['noSpeechThreshold', same],
  clip_timestamps: [
    'clipTimestamps',
    (value) => (typeof value === 'string' ? idList(value) : value),
  ],
  hallucination_silence_threshold: ['hallucinationSilenceThreshold', same],
  prepend_punctuations: ['prependPunctuations', same],
  append_punctuations: ['appendPunctuations', same],
  // These two are one option of the API.
  without_timestamps: ['timestamps', (value) => (value ? 'none' : 'segment')],
  word_timestamps: ['timestamps', (value) => (value ? 'word' : 'segment')],
};

/**
 * Options for Susurrus that ask for exactly what the reference does with `options` at temperature 0.
 * @type {(options: Readonly<Record<string, unknown>>) => Record<string, unknown>}
 */
export function apiOptions(options) {
  const api = { temperature: 0, compatibility: 'openai' };
  for (const [name, value] of Object.entries(options)) {
    const [apiName, convert] = names[name];
    api[apiName] = convert(value);
  }
  return api;
}

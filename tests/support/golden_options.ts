// The goldens' options, those of the reference, in the words of the API.
import type * as Api from '../../web/src/api_types.js';

export type ReferenceOptions = Readonly<Record<string, unknown>>;

type Settings = Record<string, unknown>;
type Translation = string | ((value: unknown, settings: Settings) => void);

/** "" for none, "2,3" or a list of numbers: the reference takes each of them. */
function numbers(value: unknown): number[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',').map(Number);
  return [...(value as readonly number[])];
}

/** Reference → API: another name, or what to set instead. */
const translations: Readonly<Record<string, Translation>> = {
  language: 'language',
  task: 'task',
  temperature: 'temperature',
  best_of: 'bestOf',
  beam_size: 'beamSize',
  patience: 'patience',
  length_penalty: 'lengthPenalty',
  sample_len: 'sampleLength',
  prompt: 'initialPrompt',
  initial_prompt: 'initialPrompt',
  carry_initial_prompt: 'carryInitialPrompt',
  prefix: 'prefix',
  suppress_blank: 'suppressBlank',
  max_initial_timestamp: 'maxInitialTimestamp',
  compression_ratio_threshold: 'compressionRatioThreshold',
  logprob_threshold: 'logprobThreshold',
  no_speech_threshold: 'noSpeechThreshold',
  condition_on_previous_text: 'conditionOnPreviousText',
  hallucination_silence_threshold: 'hallucinationSilenceThreshold',
  prepend_punctuations: 'prependPunctuations',
  append_punctuations: 'appendPunctuations',
  suppress_tokens: (value, settings) => {
    settings.suppressTokens = value === null ? null : numbers(value);
  },
  clip_timestamps: (value, settings) => {
    settings.clipTimestamps = numbers(value);
  },
  without_timestamps: (value, settings) => {
    if (value === true) settings.timestamps = 'none';
  },
  word_timestamps: (value, settings) => {
    if (value === true) settings.timestamps = 'word';
  },
};

function toApi(options: ReferenceOptions): Settings {
  if (options.without_timestamps === true && options.word_timestamps === true)
    throw new Error('The API has no word times without timestamps.');
  const settings: Settings = { temperature: 0, compatibility: 'openai' };
  for (const [name, value] of Object.entries(options)) {
    const translation = translations[name];
    if (translation === undefined) throw new Error(`The reference option ${name} is not known.`);
    if (typeof translation === 'string') settings[translation] = value;
    else translation(value, settings);
  }
  return settings;
}

/** Options of the reference's decode(); its temperature is 0 where none is given. */
export const toDecodeOptions = (options: ReferenceOptions): Api.DecodeOptions => toApi(options);

/** Options of the reference's transcribe(), at temperature 0 alone as all goldens were made. */
export const toTranscribeOptions = (options: ReferenceOptions): Api.TranscribeOptions =>
  toApi(options);

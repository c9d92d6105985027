// The goldens' options, those of the reference, in the words of the API.
import { optionsByReferenceName } from '../../scripts/facts/read_facts.mjs';
import type * as Api from '../../web/src/api/types.js';

export type ReferenceOptions = Readonly<Record<string, unknown>>;

type Settings = Record<string, unknown>;

/** "" for none, "2,3" or a list of numbers: the reference takes each of them. */
function numbers(value: unknown): number[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',').map(Number);
  return [...(value as readonly number[])];
}

/** Options whose values are not the reference's as they are. */
const translations: Readonly<Record<string, (value: unknown, settings: Settings) => void>> = {
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
    const option = optionsByReferenceName.get(name);
    if (translation) translation(value, settings);
    else if (option) settings[option.name] = value;
    else throw new Error(`The reference option ${name} is not known.`);
  }
  return settings;
}

/** Options of the reference's decode(); its temperature is 0 where none is given. */
export const toDecodeOptions = (options: ReferenceOptions): Api.DecodeOptions => toApi(options);

/** Options of the reference's transcribe(), at temperature 0 alone as all goldens were made. */
export const toTranscribeOptions = (options: ReferenceOptions): Api.TranscribeOptions =>
  toApi(options);

// The options of transcribe(), score() and align() as the command line spells them: as the reference's command does.
import { languageNames } from '../node.js';
import type { Hotword, TranscribeOptions } from '../node.js';
import {
  asNumber,
  asNumbers,
  asText,
  asTruth,
  orNone,
  readOptions,
  withValues,
} from './arguments.js';

const asOneOrMore = (text: string, option: string): number | number[] =>
  text.includes(',') ? asNumbers(text, option) : asNumber(text, option);

/** -1, a list, or nothing: the reference's word for suppressing nothing. */
const asTokens = (text: string, option: string): number | number[] =>
  text.trim() === '' ? [] : asOneOrMore(text, option);

/** A code, or an English name as the reference's command takes it. */
function asLanguage(text: string): string {
  const name = text.trim().toLowerCase();
  const found = Object.entries(languageNames).find(([, each]) => each === name);
  return found ? found[0] : text.trim();
}

export const asLanguages = (text: string): string[] => text.split(',').map(asLanguage);

/** Of how much is heard. */
export const audioContextReaders = {
  'audio-context': (text: string): string | number =>
    Number.isNaN(Number.parseFloat(text)) ? text : Number(text),
} as const;

export const languageReaders = {
  ...audioContextReaders,
  task: asText,
  language: asLanguage,
  languages: asLanguages,
} as const;

/** Of everything that listens to one window. */
export const windowReaders = { ...languageReaders, 'initial-prompt': asText } as const;

/** Of word times. */
export const punctuationReaders = {
  'prepend-punctuations': asText,
  'append-punctuations': asText,
  compatibility: asText,
} as const;

const transcribeReaders = {
  ...windowReaders,
  ...punctuationReaders,
  'min-language-probability': asNumber,
  'condition-on-previous-text': asTruth,
  prefix: asText,
  timestamps: asText,
  'max-initial-timestamp': orNone(asNumber),
  temperature: asOneOrMore,
  'best-of': orNone(asNumber),
  'beam-size': orNone(asNumber),
  patience: orNone(asNumber),
  'length-penalty': orNone(asNumber),
  'suppress-tokens': orNone(asTokens),
  'suppress-blank': asTruth,
  'sample-length': orNone(asNumber),
  'compression-ratio-threshold': orNone(asNumber),
  'logprob-threshold': orNone(asNumber),
  'no-speech-threshold': orNone(asNumber),
  'clip-timestamps': asNumbers,
  'hallucination-silence-threshold': orNone(asNumber),
  normalisation: asText,
  seed: asNumber,
} as const;

/** For parse(). */
export const transcribeArguments = {
  ...withValues(transcribeReaders),
  hotword: { type: 'string', multiple: true },
  allowed: { type: 'string', multiple: true },
  'carry-initial-prompt': { type: 'boolean' },
  'no-break-loops': { type: 'boolean' },
} as const;

interface TranscribeValues extends Readonly<Record<string, unknown>> {
  readonly hotword?: readonly string[];
  readonly allowed?: readonly string[];
  readonly 'carry-initial-prompt'?: boolean;
  readonly 'no-break-loops'?: boolean;
}

/** Only what was given; whether it makes sense, transcribe() says. */
export function transcribeOptions(values: TranscribeValues): TranscribeOptions {
  const { hotword, allowed } = values;
  return {
    ...readOptions(values, transcribeReaders),
    ...(hotword && { hotwords: hotword.map(asHotword) }),
    ...(allowed && { allowed }),
    ...(values['carry-initial-prompt'] && { carryInitialPrompt: true }),
    ...(values['no-break-loops'] && { breakLoops: false }),
  };
}

/** `TEXT` or `TEXT=WEIGHT`. */
function asHotword(text: string): Hotword {
  const [, before, weight] = /^(.*)=(-?\d+(?:\.\d+)?)$/s.exec(text) ?? [];
  return before === undefined ? { text } : { text: before, weight: Number(weight) };
}

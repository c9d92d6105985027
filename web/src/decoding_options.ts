// The options of everything that listens to a window or a recording: their ranges, what excludes what, and defaults.
import type {
  AlignOptions,
  DecodeOptions,
  DetectLanguageOptions,
  ModelInfo,
  ScoreOptions,
  TranscribeOptions,
} from './api_types.js';
import type { Settings } from './engine/protocol.js';
import { invalidOption } from './errors.js';
import {
  between,
  checkOptions,
  flag,
  isText,
  listOf,
  oneOf,
  orNull,
  progressCheck,
  signalCheck,
  text,
  wholeBetween,
  type Check,
  type Checks,
} from './options.js';

type ModelFacts = Pick<ModelInfo, 'dims' | 'languages'>;

const mostPhrases = 1000;
const mostTemperatures = 16;

const isPhrase = (value: unknown): boolean => isText(value) && value.trim() !== '';
const isWeight = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value >= -20 && value <= 20);
const isHotword = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).every((name) => name === 'text' || name === 'weight') &&
  isPhrase(Reflect.get(value, 'text')) &&
  isWeight(Reflect.get(value, 'weight'));
/** Each at least the one before; `isStrict`: greater. */
const isRising =
  (least: number, most: number, isStrict: boolean) =>
  (item: unknown, index: number, list: readonly unknown[]): boolean => {
    if (typeof item !== 'number' || !(item >= least && item <= most)) return false;
    const before = index === 0 ? -Infinity : (list[index - 1] as number);
    return isStrict ? item > before : item >= before;
  };

function languageCheck(languages: readonly string[], ...besides: readonly string[]): Check {
  const shown = `${languages.slice(0, 8).join(', ')}${languages.length > 8 ? ', …' : ''}`;
  return [
    `${besides.map((word) => `'${word}'`).join(', ')} or one of the model's languages (${shown})`,
    (value) => [...besides, ...languages].includes(value as string),
  ];
}

function languageListCheck({ languages }: ModelFacts): Check {
  return listOf(
    "a list of the model's languages, at least one",
    (item) => languages.includes(item as string),
    languages.length,
    1,
  );
}

/** Text, or ids of tokens. */
function promptCheck({ dims }: ModelFacts): Check {
  const [, isId] = wholeBetween(0, dims.nVocab - 1);
  return [
    `${text[0]}, or a list of token ids below ${dims.nVocab}`,
    (value) => isText(value) || (Array.isArray(value) && value.every(isId)),
  ];
}

function suppressionCheck({ dims }: ModelFacts): Check {
  const [, isIdOrRest] = wholeBetween(-1, dims.nVocab - 1);
  return [
    `-1, a list of token ids below ${dims.nVocab} (-1 among them for the model's own), or null`,
    (value) => value === null || value === -1 || (Array.isArray(value) && value.every(isIdOrRest)),
  ];
}

function audioContextCheck({ dims }: ModelFacts): Check {
  const [expected, isCount] = wholeBetween(1, dims.nAudioCtx);
  return [
    `'full', 'auto' or ${expected}`,
    (value) => value === 'full' || value === 'auto' || isCount(value),
  ];
}

function temperatureCheck(): Check {
  const [, isTemperature] = between(0, 1);
  const [, isList] = listOf('', isRising(0, 1, true), mostTemperatures, 1);
  return [
    `a number from 0 to 1, or a rising list of 1 to ${mostTemperatures} of them`,
    (value) => isTemperature(value) || isList(value),
  ];
}

const punctuationChecks: Checks = { prependPunctuations: text, appendPunctuations: text };

function listeningChecks(model: ModelFacts, ...languages: readonly string[]): Checks {
  return {
    language: languageCheck(model.languages, 'auto', ...languages),
    languages: languageListCheck(model),
    task: oneOf('transcribe', 'translate'),
    audioContext: audioContextCheck(model),
    signal: signalCheck,
  };
}

function decodeChecks(model: ModelFacts, ...languages: readonly string[]): Checks {
  return {
    ...listeningChecks(model, ...languages),
    initialPrompt: promptCheck(model),
    timestamps: oneOf('none', 'segment', 'word'),
    temperature: temperatureCheck(),
    bestOf: orNull(wholeBetween(1, 16)),
    beamSize: orNull(wholeBetween(1, 16)),
    patience: orNull(between(0.001, 16)),
    lengthPenalty: orNull(between(0, 1)),
    suppressTokens: suppressionCheck(model),
    suppressBlank: flag,
    maxInitialTimestamp: orNull(between(0, 30)),
    prefix: promptCheck(model),
    sampleLength: orNull(wholeBetween(1, model.dims.nTextCtx)),
    compressionRatioThreshold: orNull(between(0, 1000)),
    logprobThreshold: orNull(between(-1000, 1000)),
    noSpeechThreshold: orNull(between(0, 1)),
    seed: wholeBetween(0, Number.MAX_SAFE_INTEGER),
    hotwords: listOf(
      `a list of at most ${mostPhrases} {text, weight}, no text empty or with lone surrogates, weights from -20 to 20`,
      isHotword,
      mostPhrases,
    ),
    allowed: listOf(
      `a list of 1 to ${mostPhrases} phrases, none empty or with lone surrogates`,
      isPhrase,
      mostPhrases,
      1,
    ),
    breakLoops: flag,
    compatibility: oneOf('openai'),
    ...punctuationChecks,
  };
}

/** The data of the options, which go to the engine. */
function settingsOf(options: TranscribeOptions): Settings {
  const isData = ([name, value]: [string, unknown]): boolean =>
    name !== 'signal' && name !== 'onProgress' && value !== undefined;
  return Object.fromEntries(Object.entries(options).filter(isData));
}

function temperatures({ temperature }: DecodeOptions, otherwise: readonly number[]) {
  return typeof temperature === 'number' ? [temperature] : (temperature ?? otherwise);
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function checkPatience({ beamSize, patience }: DecodeOptions): void {
  if (patience === undefined || patience === null) return;
  if (beamSize === undefined || beamSize === null) {
    throw invalidOption('patience', 'null without beamSize', patience);
  }
  if (beamSize * patience <= 0.5) {
    throw invalidOption('patience', 'large enough for one candidate of the beam', patience);
  }
}

/** One temperature has one way to search. */
function checkSingleSearch({ bestOf, beamSize }: DecodeOptions, temperature: number): void {
  if (isSet(bestOf) && isSet(beamSize)) {
    throw invalidOption('bestOf', 'null with beamSize at a single temperature', bestOf);
  }
  if (isSet(bestOf) && temperature === 0) {
    throw invalidOption('bestOf', 'null at temperature 0, where nothing is drawn', bestOf);
  }
  if (isSet(beamSize) && temperature > 0) {
    throw invalidOption(
      'beamSize',
      'null at a temperature above 0, where sequences are drawn',
      beamSize,
    );
  }
}

/** Checked options of decode(). */
export function decodeSettings(options: DecodeOptions, model: ModelFacts): Settings {
  checkOptions(options, decodeChecks(model));
  checkPatience(options);
  const temperature = temperatures(options, [0]);
  if (temperature.length === 1) checkSingleSearch(options, temperature[0] ?? 0);
  return { ...settingsOf(options), temperature };
}

/** Checked options of transcribe(). */
export function transcribeSettings(
  options: TranscribeOptions,
  model: ModelFacts,
  isStream: boolean,
): Settings {
  checkOptions(options, {
    ...decodeChecks(model, 'per-window'),
    minLanguageProbability: between(0, 1),
    conditionOnPreviousText: flag,
    carryInitialPrompt: flag,
    clipTimestamps: listOf('seconds from 0, none below the one before', isRising(0, 1e9, false)),
    hallucinationSilenceThreshold: orNull(between(0, 1e9)),
    normalisation: oneOf('file', 'window'),
    onProgress: progressCheck,
  });
  checkPatience(options);
  const { hallucinationSilenceThreshold: silence, normalisation } = options;
  if (isSet(silence) && options.timestamps !== 'word') {
    throw invalidOption(
      'hallucinationSilenceThreshold',
      "null without timestamps: 'word'",
      silence,
    );
  }
  if (isStream && normalisation === 'file') {
    throw invalidOption('normalisation', "'window' for a stream, whose end nobody knows", 'file');
  }
  return {
    ...settingsOf(options),
    temperature: temperatures(options, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ...(isStream && { normalisation: 'window' }),
  };
}

/** Of a model that is no Whisper: its engine checks what is its own. */
export function otherSettings(options: TranscribeOptions): Settings {
  const { signal, onProgress, ...settings } = options;
  checkOptions({ signal, onProgress }, { signal: signalCheck, onProgress: progressCheck });
  return settings;
}

export function scoreSettings(options: ScoreOptions, model: ModelFacts): Settings {
  checkOptions(options, { ...listeningChecks(model), initialPrompt: promptCheck(model) });
  return settingsOf(options);
}

export function checkCandidates(candidates: readonly string[]): void {
  const [expected, accepts] = listOf(
    `a list of 1 to ${mostPhrases} texts without lone surrogates`,
    isText,
    mostPhrases,
    1,
  );
  if (!accepts(candidates)) throw invalidOption('candidates', expected, candidates);
}

export function alignSettings(options: AlignOptions, model: ModelFacts): Settings {
  checkOptions(options, {
    ...listeningChecks(model),
    ...punctuationChecks,
    compatibility: oneOf('openai'),
  });
  return settingsOf(options);
}

export function languageSettings(options: DetectLanguageOptions, model: ModelFacts): Settings {
  checkOptions(options, {
    languages: languageListCheck(model),
    audioContext: audioContextCheck(model),
    signal: signalCheck,
  });
  return settingsOf(options);
}

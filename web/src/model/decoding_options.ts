// The options of everything that listens to a window or a recording: their ranges, what excludes what, and defaults.
import type {
  AlignOptions,
  DecodeOptions,
  DetectLanguageOptions,
  AnyLiveOptions,
  ScoreOptions,
  TranscribeOptions,
  WhisperInfo,
} from '../api/types.js';
import type { Settings } from '../protocol/engine.js';
import { invalidOption } from '../api/errors.js';
import { checkNoBeamOptions } from './beam_options.js';
import { checkKnowsChinese } from './chinese_script.js';
import { languageCode, languagesLike } from './language_tag.js';
import {
  defaultTemperatures,
  hotwordWeights,
  optionRows,
  type OptionCall,
  type OptionKind,
} from '../api/generated/options.js';
import {
  between,
  checkObject,
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
  workersCheck,
  type Check,
  type Checks,
} from '../api/options.js';

type ModelFacts = Pick<WhisperInfo, 'dims' | 'languages'>;

const mostPhrases = 1000;
const mostTemperatures = 16;

const isPhrase = (value: unknown): boolean => isText(value) && value.trim() !== '';
const isWeight = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === 'number' && value >= hotwordWeights.least && value <= hotwordWeights.most);
const isHotword = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).every((name) => name === 'text' || name === 'weight') &&
  isPhrase(Reflect.get(value, 'text')) &&
  isWeight(Reflect.get(value, 'weight'));

/** The model's languages in words; where a name is a misspelt one of theirs, which one is meant. */
function languagesShown(languages: readonly string[], names: readonly unknown[] = []): string {
  const wrong = names.find((name) => languageCode(name, languages) === undefined);
  const meant = languagesLike(wrong, languages).map((each) => each.join('/'));
  if (meant.length > 0) return `the model's languages (did you mean ${meant.join(' or ')}?)`;
  return `the model's languages (${languages.slice(0, 8).join(', ')}${languages.length > 8 ? ', …' : ''})`;
}

function languageCheck({ languages }: ModelFacts, besides: readonly string[]): Check {
  const start = `${besides.map((word) => `'${word}'`).join(', ')} or one of`;
  return [
    `${start} ${languagesShown(languages)}`,
    (value) => besides.includes(value as string) || languageCode(value, languages) !== undefined,
    (value) => `${start} ${languagesShown(languages, [value])}`,
  ];
}

function languageListCheck({ languages }: ModelFacts): Check {
  const [expected, accepts] = listOf(
    `a list of ${languagesShown(languages)}, at least one`,
    (item) => languageCode(item, languages) !== undefined,
    languages.length,
    1,
  );
  return [
    expected,
    accepts,
    (value) =>
      Array.isArray(value)
        ? `a list of ${languagesShown(languages, value)}, at least one`
        : expected,
  ];
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
    `-1, a list of token ids below ${dims.nVocab} (-1 among them for the model's own)`,
    (value) => value === -1 || (Array.isArray(value) && value.every(isIdOrRest)),
  ];
}

function encoderContextCheck({ least, most }: Bounds): Check {
  const [expected, isCount] = wholeBetween(least, most);
  return [
    `'full', 'auto' or ${expected}`,
    (value) => value === 'full' || value === 'auto' || isCount(value),
  ];
}

function temperatureCheck({ least, most }: Bounds): Check {
  const [expected, isTemperature] = between(least, most);
  const isHigher = (item: unknown, index: number, list: readonly unknown[]): boolean =>
    isTemperature(item) && (index === 0 || (item as number) > (list[index - 1] as number));
  const [, isList] = listOf('', isHigher, mostTemperatures, 1);
  return [
    `${expected}, or a rising list of 1 to ${mostTemperatures} of them`,
    (value) => isTemperature(value) || isList(value),
  ];
}

/** What a row of the table says, with the model's own dimensions for bounds. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly choices: readonly string[];
}

/** How options of each kind are checked. */
const checksOfKinds: Readonly<
  Record<OptionKind, (row: Bounds, model: ModelFacts, call: OptionCall) => Check>
> = {
  flag: () => flag,
  text: () => text,
  choice: ({ choices }) => oneOf(...choices),
  number: ({ least, most }) => between(least, most),
  whole: ({ least, most }) => wholeBetween(least, most),
  language: (_, model, call) =>
    languageCheck(model, call === 'transcribe' ? ['auto', 'per-window'] : ['auto']),
  languages: (_, model) => languageListCheck(model),
  prompt: (_, model) => promptCheck(model),
  suppressedTokens: (_, model) => suppressionCheck(model),
  encoderContext: encoderContextCheck,
  temperatures: temperatureCheck,
  times: ({ least, most }) =>
    listOf(`a list of seconds from ${least} to ${most}`, between(least, most)[1]),
  hotwords: () =>
    listOf(
      `a list of at most ${mostPhrases} {text, weight}, no text empty or with lone surrogates, weights from ${hotwordWeights.least} to ${hotwordWeights.most}`,
      isHotword,
      mostPhrases,
    ),
  phrases: () =>
    listOf(
      `a list of 1 to ${mostPhrases} phrases, none empty or with lone surrogates`,
      isPhrase,
      mostPhrases,
      1,
    ),
};

/** How the options of a function are checked. */
function checksOf(call: OptionCall, model: ModelFacts): Checks {
  const rows = optionRows.filter(({ calls }) => calls.includes(call));
  const checks = rows.map(
    ({ name, kind, least = 0, most = Infinity, choices = [], orNull: isOff }) => {
      const bounds = { least, most: typeof most === 'string' ? model.dims[most] : most, choices };
      const check = checksOfKinds[kind](bounds, model, call);
      return [name, isOff ? orNull(check) : check] as const;
    },
  );
  return { ...Object.fromEntries(checks), signal: signalCheck };
}

/** What loads the detector looks at its options. */
export const vadCheck: Check = [
  'true, false or options of the detector',
  (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
];

/** The data of checked options, which go to the engine; languages by their codes. */
function settingsOf(options: TranscribeOptions, { languages: known }: ModelFacts): Settings {
  const { language, languages } = options;
  const codeOf = (tag: string): string => languageCode(tag, known) ?? tag;
  const isData = ([name, value]: [string, unknown]): boolean =>
    name !== 'signal' &&
    name !== 'onProgress' &&
    name !== 'workers' &&
    value !== undefined &&
    !(name === 'vad' && !value);
  return {
    ...Object.fromEntries(Object.entries(options).filter(isData)),
    ...(language !== undefined && { language: codeOf(language) }),
    ...(languages && { languages: [...new Set(languages.map(codeOf))] }),
  };
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

/** Only the reference goes back in a recording, and a stream cannot. */
function checkClipOrder(
  { clipTimestamps: clips, compatibility, vad }: TranscribeOptions,
  isStream: boolean,
): void {
  if (compatibility === 'openai' && !isStream && !vad) return;
  if (clips?.some((time, i) => time < (clips[i - 1] ?? 0))) {
    throw invalidOption('clipTimestamps', 'a list of seconds, none below the one before', clips);
  }
}

/** Checked options of decode(). */
export function decodeSettings(options: DecodeOptions, model: ModelFacts): Settings {
  checkOptions(options, checksOf('decode', model));
  checkPatience(options);
  const temperature = temperatures(options, [0]);
  if (temperature.length === 1) checkSingleSearch(options, temperature[0] ?? 0);
  return { ...settingsOf(options, model), temperature };
}

/** Checked options of transcribe(). */
export function transcribeSettings(
  options: TranscribeOptions,
  model: ModelFacts,
  isStream: boolean,
): Settings {
  checkObject(options);
  checkNoBeamOptions(options, 'whisper');
  checkOptions(options, {
    ...checksOf('transcribe', model),
    vad: vadCheck,
    workers: workersCheck,
    onProgress: progressCheck,
  });
  checkPatience(options);
  checkKnowsChinese(options.script, model.languages);
  checkClipOrder(options, isStream);
  const { hallucinationSilenceThreshold: silence, normalization, compatibility, vad } = options;
  if (isSet(silence) && options.timestamps !== 'word') {
    throw invalidOption(
      'hallucinationSilenceThreshold',
      "null without timestamps: 'word'",
      silence,
    );
  }
  if (isStream && normalization === 'recording') {
    throw invalidOption(
      'normalization',
      "'window' for a stream, whose end is not known",
      'recording',
    );
  }
  const isReference = compatibility === 'openai';
  return {
    ...(!isReference && vad === undefined && { vad: true }),
    ...((!isReference || isStream) && { normalization: 'window' }),
    ...settingsOf(options, model),
    temperature: temperatures(options, defaultTemperatures),
  };
}

/** Options of transcribe() that stream() has, too. */
export const liveDecodingNames = [
  'language',
  'languages',
  'minLanguageProbability',
  'task',
  'initialPrompt',
  'hotwords',
  'conditionOnPreviousText',
] as const;

export function liveDecodingChecks(model: ModelFacts): Checks {
  const checks = checksOf('transcribe', model);
  return {
    ...Object.fromEntries(liveDecodingNames.map((name) => [name, checks[name] as Check])),
    language: languageCheck(model, ['auto', 'per-utterance']),
  };
}

/** Settings from checked options. An utterance of a stream corresponds to a window of transcribe(). */
export function liveDecodingSettings(options: AnyLiveOptions, model: ModelFacts): Settings {
  const given = liveDecodingNames.map((name) => [name, options[name]] as const);
  const settings = settingsOf(Object.fromEntries(given), model);
  return settings.language === 'per-utterance' ? { ...settings, language: 'per-window' } : settings;
}

export function scoreSettings(options: ScoreOptions, model: ModelFacts): Settings {
  checkOptions(options, checksOf('score', model));
  return settingsOf(options, model);
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
  checkOptions(options, checksOf('align', model));
  return settingsOf(options, model);
}

export function languageSettings(options: DetectLanguageOptions, model: ModelFacts): Settings {
  checkOptions(options, checksOf('detectLanguage', model));
  return settingsOf(options, model);
}

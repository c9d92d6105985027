// What differs between a result of the reference and one of Susurrus, and where it began.

/** @import { DrawnCase } from './draw.mjs' */
/**
 * @typedef {{
 *   readonly seek: number;
 *   readonly field: string;
 *   readonly reference: unknown;
 *   readonly susurrus: unknown;
 * }} Difference
 */
/**
 * @typedef {{
 *   readonly seek: number;
 *   readonly window: number;
 *   readonly step: number;
 *   readonly promptLength: number;
 *   readonly reference: number | undefined;
 *   readonly susurrus: number | undefined;
 *   readonly margin: number | undefined;
 *   readonly timestampMargin: number | undefined;
 * }} DifferingStep
 */

/** As the goldens' README suggests for f32 weights. The tolerance of times is far below the 0.01 s that they are rounded to. */
export const tolerances = {
  time: 1e-3,
  probability: 1e-3,
  avgLogprob: 1e-3,
  compressionRatio: 1e-4,
};

const isNear = (a, b, tolerance) => Object.is(a, b) || Math.abs(a - b) <= tolerance;

/** Collects differences: { seek, field, reference, susurrus }; seek is the mel frame of the window, 0 where it is all one. */
class Differences {
  list = [];

  exact(seek, field, reference, susurrus) {
    if (JSON.stringify(reference) === JSON.stringify(susurrus)) return;
    this.list.push({ seek, field, reference, susurrus });
  }

  near(seek, field, reference, susurrus, tolerance) {
    // What JSON cannot say, as NaN, comes from Python as a text that Number() reads.
    if (isNear(Number(reference), Number(susurrus ?? NaN), tolerance)) return;
    this.list.push({ seek, field, reference, susurrus });
  }
}

function compareStatistics(found, seek, prefix, reference, susurrus) {
  const pairs = [
    ['avg_logprob', 'avgLogprob', tolerances.avgLogprob],
    ['no_speech_prob', 'noSpeechProb', tolerances.probability],
    ['compression_ratio', 'compressionRatio', tolerances.compressionRatio],
  ];
  for (const [name, apiName, tolerance] of pairs) {
    found.near(seek, `${prefix}${name}`, reference[name], susurrus[apiName], tolerance);
  }
}

function compareWords(found, seek, prefix, reference, susurrus) {
  found.exact(seek, `${prefix}words`, reference.map(textOf), susurrus.map(textOf));
  reference.forEach((word, i) => {
    const ours = susurrus[i];
    if (ours?.word !== word.word) return;
    const field = `${prefix}words[${i}] ${JSON.stringify(word.word)} `;
    found.near(seek, `${field}start`, word.start, ours.start, tolerances.time);
    found.near(seek, `${field}end`, word.end, ours.end, tolerances.time);
    found.near(
      seek,
      `${field}probability`,
      word.probability,
      ours.probability,
      tolerances.probability,
    );
  });
}
const textOf = ({ word }) => word;

function compareSegments(found, reference, susurrus, hasWords) {
  reference.forEach((segment, i) => {
    const ours = susurrus[i];
    if (ours === undefined) return;
    const seek = Math.min(segment.seek, ours.seek);
    const prefix = `segments[${i}].`;
    for (const name of ['id', 'seek', 'text', 'tokens', 'temperature']) {
      found.exact(seek, prefix + name, segment[name], ours[name]);
    }
    found.near(seek, `${prefix}start`, segment.start, ours.start, tolerances.time);
    found.near(seek, `${prefix}end`, segment.end, ours.end, tolerances.time);
    compareStatistics(found, seek, prefix, segment, ours);
    if (hasWords) compareWords(found, seek, prefix, segment.words, ours.words ?? []);
  });
  const first = Math.min(reference.length, susurrus.length);
  const seek = (reference[first] ?? susurrus[first])?.seek ?? Infinity;
  found.exact(seek, 'number of segments', reference.length, susurrus.length);
}

function compareLanguages(found, reference, susurrus) {
  const ours = new Map(susurrus.map(({ language, probability }) => [language, probability]));
  found.exact(0, 'languages', Object.keys(reference).sort(), [...ours.keys()].sort());
  for (const [language, probability] of Object.entries(reference)) {
    const field = `language_probs.${language}`;
    found.near(0, field, probability, ours.get(language), tolerances.probability);
  }
}

/**
 * Differences between two results of the case, those of earlier windows first; empty if there are none. `susurrus` has the
 * fields of the API, and languageProbabilities where the reference has language_probs.
 * @type {(drawn: Pick<DrawnCase, 'function' | 'options'>, reference: object, susurrus: object) => Difference[]}
 */
export function compareResults(drawn, reference, susurrus) {
  const found = new Differences();
  found.exact(0, 'language', reference.language, susurrus.language);
  if (drawn.function === 'decode') {
    found.exact(0, 'tokens', reference.tokens, susurrus.tokens);
    found.exact(0, 'text', reference.text, susurrus.text);
    compareStatistics(found, 0, '', reference, susurrus);
    if (reference.language_probs) {
      compareLanguages(found, reference.language_probs, susurrus.languageProbabilities);
    }
  } else {
    const hasWords = drawn.options.word_timestamps === true;
    compareSegments(found, reference.segments, susurrus.segments, hasWords);
    found.exact(Infinity, 'text', reference.text, susurrus.text);
  }
  return found.list.sort((a, b) => a.seek - b.seek);
}

const segmentFields = {
  avg_logprob: 'avgLogprob',
  no_speech_prob: 'noSpeechProb',
  compression_ratio: 'compressionRatio',
};

/**
 * A result of the reference with the names of the API, so that two results of the reference can be compared.
 * @type {(result: object) => object}
 */
export function inApiNames(result) {
  const renamed = Object.fromEntries(
    Object.entries(result).map(([name, value]) => [segmentFields[name] ?? name, value]),
  );
  if (result.segments) renamed.segments = result.segments.map(inApiNames);
  if (result.language_probs) {
    renamed.languageProbabilities = Object.entries(result.language_probs).map(
      ([language, probability]) => ({ language, probability }),
    );
  }
  return renamed;
}

/** Tokens that a result of the API has for the window at `seek`; undefined where some of them are not to be had. */
function tokensAt(result, seek) {
  if (result.tokens) return result.tokens;
  const segments = result.segments.filter((segment) => segment.seek === seek);
  const isWhole = segments.length > 0 && segments.every(({ tokens }) => tokens.length > 0);
  return isWhole ? segments.flatMap(({ tokens }) => tokens) : undefined;
}

/**
 * The first step at which tokens differ: { seek, window, promptLength, step, reference, susurrus, margin,
 * timestampMargin }; undefined where no token does. Segments lack what transcribe() cut from the end of a window, so only
 * of decode() is a missing end a difference.
 * @type {(windows: readonly object[], susurrus: object) => DifferingStep | undefined}
 */
export function firstDifferingStep(windows, susurrus) {
  for (const [index, window] of windows.entries()) {
    const ours = tokensAt(susurrus, window.seek);
    if (ours === undefined) continue;
    const common = Math.min(window.tokens.length, ours.length);
    let step = window.tokens.slice(0, common).findIndex((token, i) => token !== ours[i]);
    if (step < 0 && susurrus.tokens && window.tokens.length !== ours.length) step = common;
    if (step < 0) continue;
    return {
      ...{ seek: window.seek, window: index, step },
      promptLength: window.initial_tokens.length,
      reference: window.tokens[step],
      susurrus: ours[step],
      margin: window.margins[step],
      timestampMargin: window.timestamp_margins.find(([at]) => at === step)?.[1],
    };
  }
  return undefined;
}

const smallest = (pairs) =>
  pairs.reduce(
    (least, pair) => (Math.abs(pair[1]) < Math.abs(least[1]) ? pair : least),
    [undefined, Infinity],
  );

/**
 * How close the decode calls at `seek` came to another result: { seek, margin: [step, value], timestampMargin: [step,
 * value] }, the smallest of each; for differences in what transcribe() does not keep, and in what is no token.
 * @type {(windows: readonly object[], seek: number) => {
 *   seek: number;
 *   margin: [step: number | undefined, value: number];
 *   timestampMargin: [step: number | undefined, value: number];
 * }}
 */
export function closestSteps(windows, seek) {
  const at = windows.filter((window) => window.seek === seek);
  return {
    seek,
    margin: smallest(at.flatMap(({ margins }) => [...margins.entries()])),
    timestampMargin: smallest(at.flatMap((window) => window.timestamp_margins)),
  };
}

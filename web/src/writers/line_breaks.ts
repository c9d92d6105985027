// Where a line may end in text of scripts that write no blanks between words, and in Korean.
import { clustersOf, columnsOf } from './columns.js';

const hangul = /\p{Script=Hangul}/u;
/** Letters and punctuation of scripts without blanks between words. */
const unspaced =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}|[\u3000-\u30FF\uFF01-\uFF65]/u;
const unspacedLanguage = /^(?:zh|yue|ja|th|lo|km|my)(?:$|[-_])/i;

/**
 * What no line begins with: closing and separating punctuation, units, small kana, prolonged sounds, iteration marks,
 * and vowels that follow their consonant.
 */
const notFirst =
  /[\p{Pe}\p{Pf}\p{M}、。，．,.！？!?：；:;·・‥…—―–〜～゠%％‰℃℉°ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ\u31F0-\u31FF\uFF61\uFF63-\uFF65ｧ-ｯｰー々〻ゝゞヽヾ\u200B-\u200D]|[\u3099-\u309C\uFF9E\uFF9F]|[\u0E2F-\u0E33\u0E45\u0E46\u0EAF-\u0EB3\u0EC6\u17D4-\u17D7\u104A\u104B]/u;
/** What no line ends with: opening punctuation, signs of currencies, and vowels that precede their consonant. */
const notLast = /[\p{Ps}\p{Pi}\p{Sc}@＠\u0E40-\u0E44\u0EC0-\u0EC4]|\u200D|\u17D2|\u1039/u;

const hiragana = /\p{Script=Hiragana}/u;
/** Particles after which Japanese may go on in a new line although it goes on in hiragana. */
const particle = /^[はがをにも]$/u;

/** Punctuation, but for closing brackets, which particles follow. */
const endsPhrase = /(?![\p{Pe}\p{Pf}])[\p{P}\p{S}]$/u;

/** Whether lines of this text end as the rules of this file say. */
export function needsBreaks(text: string, language: string | undefined): boolean {
  return hangul.test(text) || unspaced.test(text) || unspacedLanguage.test(language ?? '');
}

/**
 * Where lines of `width` columns may end, as increasing offsets within the text: between words or, in Japanese, phrases.
 * What alone is wider is broken between words, then between characters. Where text of two lines leaves no place for
 * that, it is broken between characters of any script, and at last without kinsoku.
 */
export function breaksOf(text: string, language: string | undefined, width: number): number[] {
  const breaks: number[] = [];
  const levels = [phraseBreaks, wordBreaks, characterBreaks, kinsokuBreaks, everyBreak];
  const offsets: (readonly number[])[] = [];
  const divide = (from: number, to: number, level: number): void => {
    const most = level <= levels.indexOf(characterBreaks) ? width : 2 * width;
    if (level > 0 && columnsOf(text.slice(from, to).trim()) <= most) return;
    offsets[level] ??= levels[level]!(text, language);
    const within = offsets[level].filter((at) => from < at && at < to);
    [from, ...within].forEach((begin, i) => {
      if (i > 0) breaks.push(begin);
      if (level < levels.length - 1) divide(begin, within[i] ?? to, level + 1);
    });
  };
  divide(0, text.length, 0);
  return breaks;
}

/**
 * A number stays with its unit. In Japanese, what is written in hiragana stays with what it ends, but after a particle or
 * punctuation, since the dictionaries of hosts divide endings ("読み", "ま", "した").
 */
function phraseBreaks(text: string, language: string | undefined): readonly number[] {
  const all = wordBreaks(text, language);
  const knowsWords = segmenterOf(language) !== undefined;
  return all.filter((at, i) => {
    const before = text.slice(all[i - 1] ?? 0, at);
    const after = text.slice(at, all[i + 1]);
    if (/\s/.test(after.charAt(0))) return true;
    if (/\p{Nd}$/u.test(before)) return false;
    if (!hiragana.test(after.charAt(0)) || endsPhrase.test(before)) return true;
    return knowsWords && particle.test(before) && !particle.test(after);
  });
}

function wordBreaks(text: string, language: string | undefined): readonly number[] {
  const segmenter = segmenterOf(language);
  if (!segmenter) return characterBreaks(text).filter((at) => !isInKatakana(text, at));
  return Array.from(segmenter.segment(text), ({ index }) => index).filter((at) =>
    mayBreak(text, at),
  );
}

function characterBreaks(text: string): readonly number[] {
  return everyBreak(text).filter((at) => mayBreak(text, at));
}

function kinsokuBreaks(text: string): readonly number[] {
  return everyBreak(text).filter((at) => keepsKinsoku(text, at));
}

/** White space belongs to what follows it. */
function everyBreak(text: string): readonly number[] {
  let at = 0;
  return clustersOf(text)
    .map((each) => (at += each.length))
    .filter((end) => !/\s/.test(text.charAt(end - 1)));
}

/** Whether kinsoku lets a line end here: at a blank, or between characters of which one needs none. */
export function mayBreak(text: string, at: number): boolean {
  if (!keepsKinsoku(text, at)) return false;
  const [before, after] = [characterBefore(text, at), characterAt(text, at)];
  if (/\s/.test(after)) return true;
  if (hangul.test(before) || hangul.test(after)) return false;
  return unspaced.test(before) || unspaced.test(after);
}

function keepsKinsoku(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const blanks = /^\s*/.exec(text.slice(at, at + mostBlanks))![0].length;
  const after = characterAt(text, at + blanks);
  if (before === '' || after === '' || /\s/.test(before)) return false;
  if (notLast.test(before) || notFirst.test(after)) return false;
  return !isAtQuote(text, at, before, after);
}

/** White space that is looked over in search of what follows it. */
const mostBlanks = 16;

/** Straight quotation marks open and close in turn. An apostrophe says nothing, so that a word never loses it. */
function isAtQuote(text: string, at: number, before: string, after: string): boolean {
  if (before === "'" || after === "'") return true;
  if (before !== '"' && after !== '"') return false;
  const quotesBefore = text.slice(0, at).split('"').length - 1;
  return quotesBefore % 2 === 1;
}

/** Names and foreign words, which are words without a dictionary. */
function isInKatakana(text: string, at: number): boolean {
  return /[ァ-ヿ]/.test(text.charAt(at - 1)) && /[ァ-ヿ]/.test(text.charAt(at));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 2, at));
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at);
}

const segmenters = new Map<string, Intl.Segmenter>();

/** Undefined where the host has none, as Firefox before 125. */
function segmenterOf(language = 'en'): Intl.Segmenter | undefined {
  const { Segmenter } = Intl as Partial<typeof Intl>;
  if (!Segmenter) return undefined;
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    const options = { granularity: 'word' } as const;
    try {
      segmenter = new Segmenter(language, options);
    } catch {
      // A transcript from elsewhere may say any name of a language; the scripts say enough.
      segmenter = new Segmenter('en', options);
    }
    segmenters.set(language, segmenter);
  }
  return segmenter;
}

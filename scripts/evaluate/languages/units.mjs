// What errors are counted in: words, and characters of scripts that have no blanks between words.
import { compareWords } from '../word_errors.mjs';

/** Scripts without blanks. Hangul has them. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/u;

/** Letters in capitals and small, and the dots of the Turkish i, are one. */
const folded = (text) => text.normalize('NFKC').toLocaleLowerCase('en').replaceAll('\u0307', '');

/**
 * Words without punctuation in lower case; text of a script without blanks falls into its characters.
 * @type {(text: string) => string[]}
 */
export function units(text) {
  const words = folded(text).match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  return words
    .map((word) => word.replaceAll('’', "'"))
    .flatMap((word) =>
      unspaced.test(word)
        ? [
            ...word.matchAll(
              /[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+|./gu,
            ),
          ].map(([one]) => one)
        : [word],
    );
}

/**
 * How many units a reader sees in text that nobody said: marks that stand alone count, too.
 * @type {(text: string) => number}
 */
export const shownUnits = (text) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .reduce((count, piece) => count + Math.max(1, units(piece).length), 0);

/** How the units of a language are called. @type {(language: string) => 'words' | 'characters'} */
export const unitName = (language) =>
  ['zh', 'yue', 'ja', 'th', 'lo', 'km', 'my'].includes(language) ? 'characters' : 'words';

/** Errors of a text beside what was said, and units of what was said. @typedef {{ errors: number; units: number }} Count */
/** @type {(truth: string, heard: string) => Count} */
export function counted(truth, heard) {
  const said = units(truth);
  return { errors: compareWords(said, units(heard)).errors, units: said.length };
}

/** @type {(counts: readonly Count[]) => Count} */
export const sum = (counts) =>
  counts.reduce(
    (all, { errors, units: more }) => ({ errors: all.errors + errors, units: all.units + more }),
    { errors: 0, units: 0 },
  );

/** Errors of a hundred units. @type {(count: Count) => number} */
export const rate = ({ errors, units: all }) => (100 * errors) / all;

// What callers call a language, and the codes that Whisper knows.
import { languageNames, otherLanguageNames } from '../api/generated/languages.js';
import { namesLike } from '../api/near_names.js';

/** Whisper's codes for languages whose tag is another one. */
const codes: Readonly<Record<string, string>> = { jv: 'jw', nb: 'no', fil: 'tl' };

/** Values of the option `language` that are no languages, though the first subtag of one is Persian's. */
const modes = ['auto', 'per-window', 'per-utterance'];

const plain = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** English names, in lower case, and their codes. */
const english: ReadonlyMap<string, string> = new Map(
  Object.entries(languageNames).flatMap(([code, name]) =>
    [name, ...(otherLanguageNames[code] ?? [])].map((each) => [each, code] as const),
  ),
);

let native: ReadonlyMap<string, string> | undefined;

/**
 * The languages' names in themselves, in lower case, as far as the host has them. Made when first asked for: it reads a hundred of the
 * host's locales.
 */
function nativeNames(): ReadonlyMap<string, string> {
  return (native ??= new Map(
    [...Object.keys(languageNames), ...Object.keys(codes)].flatMap((tag) => {
      // A host that lacks the locale would answer in its own language.
      if (Intl.DisplayNames.supportedLocalesOf(tag).length === 0) return [];
      const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'none' }).of(tag);
      return name === undefined ? [] : [[plain(name), codes[tag] ?? tag] as const];
    }),
  ));
}

/**
 * The code among `languages` that a caller means: itself, a BCP 47 tag whose language it is (`'en-US'`, `'zh-Hans'`, `'iw'`), or its name
 * in English or in itself. Undefined if there is none.
 */
export function languageCode(value: unknown, languages: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (languages.includes(value)) return value;
  const name = plain(value);
  if (modes.includes(name)) return undefined;
  const tagged = tagLanguage(name);
  const meant = [english.get(name), tagged, tagged && codes[tagged]];
  const isKnown = (code: string | undefined): code is string =>
    code !== undefined && languages.includes(code);
  const code = meant.find(isKnown) ?? nativeNames().get(name);
  return isKnown(code) ? code : undefined;
}

/** The first subtag of a BCP 47 tag, in today's spelling. */
function tagLanguage(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-')).language;
  } catch {
    return undefined;
  }
}

/**
 * Names of `languages` that a misspelt one might mean, with their codes, the likeliest first. None if it names a language that is not among
 * them.
 */
export function languagesLike(
  value: unknown,
  languages: readonly string[],
): readonly (readonly [name: string, code: string])[] {
  if (typeof value !== 'string' || languageCode(value, Object.keys(languageNames))) return [];
  const known = new Map(
    [...nativeNames(), ...english].filter(([, code]) => languages.includes(code)),
  );
  const near = namesLike(plain(value), [...known.keys()], 1 / 3);
  // One name for each language.
  const meant = new Map(near.reverse().map((name) => [known.get(name) ?? '', name]));
  return [...meant].reverse().map(([code, name]) => [name, code]);
}

// Language tags as pages have them, and the codes that Whisper knows.

/** Whisper's codes for languages whose tag is another one. */
const codes: Readonly<Record<string, string>> = { jv: 'jw', nb: 'no', fil: 'tl' };

/** Values of the option `language` that are no languages, though the first subtag of one is Persian's. */
const modes = ['auto', 'per-window', 'per-utterance'];

/**
 * The code among `languages` that a caller means: itself, or a BCP 47 tag whose language it is (`'en-US'`, `'zh-Hans'`, `'iw'`).
 * Undefined if there is none.
 */
export function languageCode(value: unknown, languages: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (languages.includes(value)) return value;
  if (modes.includes(value)) return undefined;
  let language: string;
  try {
    ({ language } = new Intl.Locale(value.replaceAll('_', '-')));
  } catch {
    return undefined;
  }
  return [language, codes[language]].find((code) => code !== undefined && languages.includes(code));
}

import { languageNames } from '../src/node.js';

/** The English name of a language, or its code if it has none. */
export const languageName = (code: string): string =>
  (languageNames[code] ?? code).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

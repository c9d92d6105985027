// Languages as the command line names and counts them.
import { englishVocabulary, officialVocabularies } from '../src/api/generated/whisper.js';
import { languageNames } from '../src/node.js';
import type { Inspection } from '../src/node_files.js';

/** The English name of a language, or its code if it has none. */
export const languageName = (code: string): string =>
  (languageNames[code] ?? code).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/**
 * How many languages a Whisper knows: one where the file says that it is not multilingual, else those of the official vocabulary of its size.
 * Undefined for other sizes, where it depends on the tokens.
 */
export function languageCount({ dims, metadata }: Inspection): number | undefined {
  if (!dims) return undefined;
  const isMultilingual = asObject(metadata['tokenizer_config'])['is_multilingual'];
  if (isMultilingual === false || dims.nVocab === englishVocabulary) return 1;
  return officialVocabularies[dims.nVocab]?.languages;
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

// The tables of facts that C++, TypeScript, the command line, the documents and these scripts share: one JSON file each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `name`: dtypes, errors, file_kinds, languages, options, whisper. */
export const readFacts = (name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'));

/** Types that weights may have, the most exact one first. */
export const weightTypes = readFacts('dtypes')
  .dtypes.filter(({ isWeight }) => isWeight)
  .map(({ name }) => name);

/** Whisper's constants by name: sampleRate, hopSamples, … */
export const whisper = Object.fromEntries(
  readFacts('whisper').constants.map(({ name, value }) => [name, value]),
);

/** The option's row for each of openai-whisper's names. */
export const optionsByReferenceName = new Map(
  readFacts('options').options.flatMap((option) =>
    (option.reference ?? []).map((name) => [name, option]),
  ),
);

export const snakeCase = (name) => name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
export const camelCase = (name) => name.replaceAll(/_(.)/g, (_, one) => one.toUpperCase());
export const kebabCase = (name) => snakeCase(name).replaceAll('_', '-');
export const upperCamelCase = (name) => `${name[0].toUpperCase()}${camelCase(name.slice(1))}`;
/** "f32, f16 or q8_0" */
export const oneOf = (names) => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

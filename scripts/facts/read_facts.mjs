// The tables of facts that C++, TypeScript, the command line, the documents and these scripts share: one JSON file each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{
 *   readonly name: string;
 *   readonly kind: string;
 *   readonly least?: number;
 *   readonly most?: number | string;
 *   readonly orNull?: boolean;
 *   readonly calls: readonly string[];
 *   readonly engine?: boolean;
 *   readonly reference?: readonly string[];
 * }} OptionFacts
 */
/**
 * @typedef {{
 *   dtypes: {
 *     readonly dtypes: readonly {
 *       readonly name: string;
 *       readonly number: number;
 *       readonly elementsPerBlock: number;
 *       readonly bytesPerBlock: number;
 *       readonly isWeight?: boolean;
 *       readonly ggml?: { readonly name: string; readonly type: number; readonly fileType?: number };
 *     }[];
 *   };
 *   errors: {
 *     readonly codes: readonly {
 *       readonly name: string;
 *       readonly number: number;
 *       readonly meaning: string;
 *       readonly cause: string;
 *       readonly cure: string;
 *     }[];
 *     readonly reasons: readonly string[];
 *     readonly pageReasons: readonly string[];
 *   };
 *   file_kinds: {
 *     readonly advice: Readonly<Record<string, string>>;
 *     readonly kinds: readonly {
 *       readonly name: string;
 *       readonly class: string;
 *       readonly what: string;
 *       readonly advice?: string;
 *       readonly marks?: readonly (string | { readonly at: number; readonly bytes: string })[];
 *     }[];
 *   };
 *   formats: {
 *     readonly formats: readonly { readonly name: string }[];
 *   };
 *   languages: {
 *     readonly languages: readonly {
 *       readonly code: string;
 *       readonly name: string;
 *       readonly otherNames?: readonly string[];
 *     }[];
 *   };
 *   options: { readonly options: readonly OptionFacts[] };
 *   beam_options: { readonly options: readonly OptionFacts[] };
 *   whisper: {
 *     readonly dimensions: readonly { readonly name: string; readonly hub: string }[];
 *     readonly checkpointOrder: readonly string[];
 *     readonly constants: readonly { readonly name: string; readonly value: number }[];
 *   };
 * }} Facts
 */

/**
 * A table as its JSON file has it.
 * @type {<Name extends keyof Facts>(name: Name) => Facts[Name]}
 */
export const readFacts = (name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'));

/**
 * Types that weights may have, the most exact one first.
 * @type {readonly string[]}
 */
export const weightTypes = readFacts('dtypes')
  .dtypes.filter(({ isWeight }) => isWeight)
  .map(({ name }) => name);

/**
 * Whisper's constants by name: sampleRate, hopSamples, …
 * @type {Readonly<Record<string, number>>}
 */
export const whisper = Object.fromEntries(
  readFacts('whisper').constants.map(({ name, value }) => [name, value]),
);

/**
 * The option's row for each of openai-whisper's names.
 * @type {ReadonlyMap<string, OptionFacts>}
 */
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

// The trained BW2L model of digits, and the texts that its beam search may go by.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { joined, u64 } from './little_endian.js';
import { pairs, shortString } from './bw2l_writer.js';
import { sharedFolder } from './shared_folder.js';

export const digitsPath = resolve(sharedFolder, 'bw2l-digits/digits.b2l');

export const digits = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
] as const;

/** Each word in its letters, as wav2letter's lexicons have them. */
export const lexiconOf = (words: readonly string[]): string =>
  words.map((word) => `${word}\t${word.replaceAll(/./g, '$& ')}|\n`).join('');

/** Logarithms to base 10 of n-grams of up to two words. */
export function arpaOf(ngrams: Readonly<Record<string, number>>): string {
  const of = (order: number): string[] =>
    Object.keys(ngrams).filter((words) => words.split(' ').length === order);
  const orders = [1, 2].filter((order) => of(order).length > 0);
  const sections = orders.map((order) => {
    const lines = of(order).map((words) => `${ngrams[words]}\t${words}\n`);
    return `\n\\${order}-grams:\n${lines.join('')}`;
  });
  const counts = orders.map((order) => `ngram ${order}=${of(order).length}\n`);
  return `\\data\\\n${counts.join('')}${sections.join('')}\n\\end\\\n`;
}

/** The file with more flags: `localnrmlleftctx` and `localnrmlrightctx` make a model that streams. */
export function digitsWithFlags(flags: Readonly<Record<string, string>>): Uint8Array {
  const file = readFileSync(digitsPath);
  const head = Buffer.from(joined(shortString('flags'), shortString('keyval')));
  const description = file.indexOf(head) + head.length;
  const length = description + 8 + Number(file.readBigUInt64LE(description));
  const byteCount = Number(file.readBigUInt64LE(length));
  const end = length + 8 + byteCount;
  // If a flag occurs twice, the last one counts.
  const added = joined(pairs(flags));
  return joined(
    file.subarray(0, length),
    u64(byteCount + added.length),
    file.subarray(length + 8, end),
    added,
    file.subarray(end),
  );
}

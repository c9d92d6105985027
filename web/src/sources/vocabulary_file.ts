// `.tiktoken` rank files: vocabularies that callers give for models without one.
import type { LoadOptions } from '../api/types.js';
import { SusurrusError } from '../api/errors.js';
import type { Platform } from '../platform/platform.js';
import { openSource } from './open_source.js';
import { pump } from './pump.js';

/** More than any vocabulary has. */
const mostTokens = 1 << 20;

/** On each line the token's bytes in base64, a space, and its id. */
export function parseRanks(
  text: string,
  file: string,
): (readonly [id: number, bytes: Uint8Array])[] {
  const bad = (problem: string): SusurrusError =>
    new SusurrusError('malformed', `${file}: ${problem}.`, {
      reason: 'bad_vocabulary',
      subject: file,
      got: problem,
    });
  const ranks = text.split(/\r?\n/).flatMap((line, index) => {
    if (line === '') return [];
    const [, base64 = '', rank = ''] = /^(\S+) (\d+)$/.exec(line) ?? [];
    const id = Number(rank);
    if (rank === '' || id >= mostTokens) {
      throw bad(`line ${index + 1} is no base64 text with a rank`);
    }
    // The multilingual list ends in an empty token, written as a lone padding sign.
    if (base64 === '=') return [[id, new Uint8Array()] as const];
    try {
      return [[id, Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))] as const];
    } catch {
      throw bad(`line ${index + 1} is not base64`);
    }
  });
  if (ranks.length === 0) throw bad('it holds no tokens');
  return ranks;
}

/** As APR1 stores a vocabulary, which is how the core takes one: numbers of tokens and merges, then lengths and bytes. */
export function packRanks(ranks: ReturnType<typeof parseRanks>): Uint8Array {
  const tokens: Uint8Array[] = [];
  for (const [id, bytes] of ranks) tokens[id] = bytes;
  const byteCount = ranks.reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const packed = new Uint8Array(8 + 2 * tokens.length + byteCount);
  const view = new DataView(packed.buffer);
  view.setUint32(0, tokens.length, true);
  let at = 8;
  for (let id = 0; id < tokens.length; ++id) {
    const bytes = tokens[id] ?? new Uint8Array();
    view.setUint16(at, bytes.length, true);
    packed.set(bytes, at + 2);
    at += 2 + bytes.length;
  }
  return packed.subarray(0, at);
}

/** The whole of a rank file, packed. */
export async function readVocabularyFile(
  source: NonNullable<LoadOptions['vocabulary']>,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const opened = await openSource(source, platform, signal);
  const decoder = new TextDecoder();
  let text = '';
  const append = (chunk: Uint8Array): Promise<void> => {
    text += decoder.decode(chunk, { stream: true });
    return Promise.resolve();
  };
  await pump(opened, append, { phase: 'load', signal });
  return packRanks(parseRanks(text, opened.name ?? 'vocabulary'));
}

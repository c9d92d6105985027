// `.tiktoken` rank files: vocabularies that callers give for models without one.
import type { LoadOptions } from '../api/types.js';
import { SusurrusError } from '../api/errors.js';
import type { Platform } from '../platform/platform.js';
import { YieldController } from '../wasm/yield_controller.js';
import { openSource } from './open_source.js';
import { pump } from './pump.js';

/** More than any vocabulary has. */
const mostTokens = 1 << 20;

/** Lines and tokens between two steps. */
const linesBetween = 1 << 10;

/** Tokens by id. */
export type Ranks = readonly (readonly [id: number, bytes: Uint8Array])[];

/** On each line the token's bytes in base64, a space, and its id. */
export async function parseRanks(
  text: string,
  file: string,
  yielder: YieldController,
): Promise<Ranks> {
  const bad = (problem: string): SusurrusError =>
    new SusurrusError('malformed', `${file}: ${problem}.`, {
      reason: 'bad_vocabulary',
      subject: file,
      got: problem,
    });
  const ranks: (readonly [id: number, bytes: Uint8Array])[] = [];
  let lineCount = 0;
  for (let begin = 0; begin < text.length;) {
    const feed = text.indexOf('\n', begin);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(begin, text[end - 1] === '\r' && feed >= 0 ? end - 1 : end);
    begin = end + 1;
    if (++lineCount % linesBetween === 0) await yielder.step();
    if (line === '') continue;
    const [, base64 = '', rank = ''] = /^(\S+) (\d+)$/.exec(line) ?? [];
    const id = Number(rank);
    if (rank === '' || id >= mostTokens) {
      throw bad(`line ${lineCount} is no base64 text with a rank`);
    }
    const bytes = decodedToken(base64);
    if (!bytes) throw bad(`line ${lineCount} is not base64`);
    ranks.push([id, bytes]);
  }
  if (ranks.length === 0) throw bad('it holds no tokens');
  return ranks;
}

function decodedToken(base64: string): Uint8Array | undefined {
  // The multilingual list ends in an empty token, written as a lone padding sign.
  if (base64 === '=') return new Uint8Array();
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** As APR1 stores a vocabulary, which is how the core takes one: numbers of tokens and merges, then lengths and bytes. */
export async function packRanks(ranks: Ranks, yielder: YieldController): Promise<Uint8Array> {
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
    if (id % linesBetween === 0) await yielder.step();
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
  const yielder = new YieldController(signal);
  return packRanks(await parseRanks(text, opened.name ?? 'vocabulary', yielder), yielder);
}

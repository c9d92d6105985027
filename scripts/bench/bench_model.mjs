// Model files for benchmarks: Whisper's exact dimensions with random weights, converted by our own converter and kept in
// build/bench. Their text is meaningless; speed does not depend on it.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeRandomModel } from '../random_model.mjs';
import { root } from '../toolchain/steps.mjs';

const folder = join(root, 'build/bench');
const vocabularyTokens = 50257;

/** A rank file as large as the multilingual one: the bytes, then pairs of them. */
function writeRanks(path) {
  const tokens = [];
  for (let byte = 0; byte < 256; ++byte) tokens.push([byte]);
  for (let pair = 0; tokens.length < vocabularyTokens - 1; ++pair) {
    tokens.push([pair >> 8, pair & 255]);
  }
  const lines = tokens.map((bytes, rank) => `${Buffer.from(bytes).toString('base64')} ${rank}`);
  writeFileSync(path, `${lines.join('\n')}\n= ${vocabularyTokens - 1}\n`);
}

/** Path of an APR2 file with these dimensions ('tiny', 'base' or 'small') and weights ('f32', 'f16' or 'q8_0'). */
export async function benchModel(size, dtype) {
  const path = join(folder, `${size}-${dtype}.apr`);
  if (existsSync(path)) return path;
  const { convertModel } = await import('../../dist/node.mjs');
  mkdirSync(folder, { recursive: true });
  const source = join(folder, size);
  if (!existsSync(source)) {
    const unfinished = `${source}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const ranks = join(folder, 'ranks.tiktoken');
    writeRanks(ranks);
    writeRandomModel(size, ranks, unfinished);
    renameSync(unfinished, source);
  }
  await convertModel(source, path, { dtype, compress: 'none', force: true });
  return path;
}

/** Seeded noise with pauses, 16 kHz: something like the loudness of speech. */
export function benchAudio(seconds) {
  const samples = new Float32Array(seconds * 16000);
  let state = 1;
  let smooth = 0;
  for (let i = 0; i < samples.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    smooth += 0.2 * (state / 0x80000000 - 1 - smooth);
    samples[i] = 0.3 * smooth * Math.max(0, Math.sin(i / 4000));
  }
  return samples;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './shared_folder.js';

export const modelPath = join(projectRoot, 'models/digits.apr');
export const samplePath = join(projectRoot, 'web/demo/sample.wav');
export const sampleText = 'three one four one five nine two six five';

export const modelBytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(modelPath));
export const sampleBytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(samplePath));

/** The bundled sample's samples: 16 kHz mono s16. */
export function sampleAudio(): Float32Array {
  const wav = sampleBytes();
  const pcm = new Int16Array(wav.buffer.slice(44, wav.length - (wav.length % 2)));
  return Float32Array.from(pcm, (value) => value / 32768);
}

/** `bytes` in pieces of `size`. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.slice(at, at + size);
    await Promise.resolve();
  }
}

/** The error that a promise ends with; fails when it ends well. */
export async function errorOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was expected to fail.');
}

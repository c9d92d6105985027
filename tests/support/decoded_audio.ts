import { decodeFile } from '../../web/src/audio/decoded_file.js';
import { openFile } from '../../web/src/audio/encoded_file.js';
import { node } from '../../web/src/node_platform.js';
import { joined } from '../../web/src/api/joined.js';

export interface DecodedAudio {
  /** Interleaved. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly channels: number;
  readonly pieceLengths: readonly number[];
}

/** A compressed file as Node decodes it, before it is resampled. */
export async function decodedAudio(
  audio: Uint8Array | string,
  signal?: AbortSignal,
): Promise<DecodedAudio> {
  const file = await openFile(audio, node, { signal, onProgress: undefined });
  const { pieces } = await decodeFile(file, node, signal);
  const parts: Float32Array[] = [];
  let [sampleRate, channels] = [0, 0];
  for (let step = await pieces.next(); !step.done; step = await pieces.next()) {
    if (!('samples' in step.value)) throw new Error('samples are expected, not a WAV file');
    parts.push(step.value.samples);
    ({ sampleRate, channels } = step.value);
  }
  const samples = joined(parts, Float32Array);
  return { samples, sampleRate, channels, pieceLengths: parts.map(({ length }) => length) };
}

import type { MainModule } from '../../web/src/engine/engine.mjs';
import { coreError, pushAll, type CoreError } from './engine_module.js';

export interface Converted {
  readonly samples: Float32Array;
  readonly error: CoreError | undefined;
}

type Source =
  | { readonly wav: Uint8Array }
  | {
      readonly interleaved: Float32Array;
      readonly sampleRate: number;
      readonly channels: number;
    };

/** Audio to 16 kHz mono by the engine's converter, drained after every push. */
export function convertAudio(module: MainModule, source: Source): Converted {
  const converter = new module.AudioConverter();
  const parts: number[] = [];
  const drain = (): void => {
    const output = converter.output();
    for (const sample of output) parts.push(sample);
    converter.consume(output.length);
  };
  try {
    let error: CoreError | undefined;
    let bytes: Uint8Array;
    if ('wav' in source) {
      converter.beginWav();
      bytes = source.wav;
    } else {
      const { interleaved, sampleRate, channels } = source;
      error = coreError(converter.beginSamples(sampleRate, channels));
      bytes = new Uint8Array(interleaved.buffer, interleaved.byteOffset, interleaved.byteLength);
    }
    const push = (count: number): string =>
      'wav' in source ? converter.pushBytes(count) : converter.pushSamples(count);
    const target = { inputWindow: (n: number) => converter.inputWindow(n), push };
    error ??= pushAll(target, bytes, drain);
    error ??= coreError(converter.finish());
    if (!error) drain();
    return { samples: Float32Array.from(parts), error };
  } finally {
    converter.delete();
  }
}

/** Signal-to-noise ratio in dB over the common length, without `margin` samples at both ends. */
export function signalToNoise(
  signal: ArrayLike<number>,
  other: ArrayLike<number>,
  margin = 0,
): number {
  let power = 0;
  let noise = 0;
  for (let i = margin; i < Math.min(signal.length, other.length) - margin; ++i) {
    power += signal[i]! ** 2;
    noise += (signal[i]! - other[i]!) ** 2;
  }
  return noise === 0 ? Infinity : 10 * Math.log10(power / noise);
}

/** Samples of a 16-bit mono WAV with the plain header of 44 bytes, or of an .npy file of int16. */
export function sixteenBit(bytes: Uint8Array, headerBytes: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset + headerBytes);
  const count = Math.floor((bytes.length - headerBytes) / 2);
  return Float32Array.from({ length: count }, (_, i) => view.getInt16(2 * i, true) / 32768);
}

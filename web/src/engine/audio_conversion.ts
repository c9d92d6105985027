import { unwrap } from '../wasm/emscripten_module.js';
import type { EngineModule } from './engine_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { AudioToConvert } from '../protocol/engine.js';
import { pushThroughWindow } from '../wasm/windows.js';

/** Pieces of whole samples whatever the number of channels: 2^18 bytes a push, as the core's window holds. */
const pieceBytes = 1 << 18;

/** WAV bytes or samples of any rate to 16 kHz mono, in pieces, so that the core holds little of it at a time. */
export async function convertAudio(
  module: EngineModule,
  audio: AudioToConvert,
  yielder: YieldController,
): Promise<Float32Array> {
  const converter = new module.AudioConverter();
  try {
    const parts: Float32Array[] = [];
    const drain = (): void => {
      const output = converter.output();
      if (output.length === 0) return;
      parts.push(output.slice());
      converter.consume(output.length);
    };
    const isWav = audio.kind === 'wav';
    if (isWav) converter.beginWav();
    else unwrap(converter.beginSamples(audio.sampleRate, audio.channels));
    const bytes = isWav
      ? audio.bytes
      : new Uint8Array(audio.samples.buffer, audio.samples.byteOffset, audio.samples.byteLength);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await pushThroughWindow(
        converter,
        bytes.subarray(at, at + pieceBytes),
        (count) => (isWav ? converter.pushBytes(count) : converter.pushSamples(count)),
        yielder,
      );
      drain();
    }
    unwrap(converter.finish());
    drain();
    return concatenate(parts);
  } finally {
    converter.delete();
  }
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// Log-mel through the core's windows. The core keeps time-major rows; the API's layout is [nMels × nFrames].
import { checkPiece, checkSamples } from '../api/sample_check.js';
import { hopSamples } from '../api/generated/whisper.js';
import type { Model } from './engine.mjs';
import type { EngineCalls } from '../protocol/engine.js';
import type { YieldController } from '../wasm/yield_controller.js';

/** What computes it: a Whisper, or the module that reads files. */
export type MelModel = Pick<
  Model,
  | 'melBands'
  | 'windowFrames'
  | 'melSamples'
  | 'sampleWindow'
  | 'melWindow'
  | 'computeLogMel'
  | 'normaliseMel'
>;

/** Computes frames [first, first + count) of a recording followed by zeros into the mel window; returns their maximum. */
function computeFrames(
  model: MelModel,
  samples: Float32Array,
  zeroCount: number,
  first: number,
  count: number,
): number {
  const { begin, end } = model.melSamples(first, count, samples.length);
  if (end > begin) model.sampleWindow().set(samples.subarray(begin, end));
  return model.computeLogMel(begin, samples.length, zeroCount, first, count);
}

/** Fills the mel window, or its first `frames`, from at most so many samples, completed with silence. */
export function fillWindow(
  model: MelModel,
  samples: Float32Array,
  frames = model.windowFrames(),
): void {
  const window = samples.subarray(0, frames * hopSamples);
  checkPiece(window, 0, window.length);
  const maximum = computeFrames(model, window, frames * hopSamples - window.length, 0, frames);
  model.normaliseMel(frames, maximum);
}

type LogMel = EngineCalls['logMel']['answer'];

export function windowLogMel(model: MelModel, samples: Float32Array): LogMel {
  fillWindow(model, samples);
  const nMels = model.melBands();
  const nFrames = model.windowFrames();
  const data = new Float32Array(nMels * nFrames);
  transposeInto(data, nFrames, 0, model.melWindow(), nMels, nFrames);
  return { data, nMels, nFrames };
}

/** The whole recording as transcribe() sees it: one window of zeros appended, one maximum for everything. */
export async function wholeLogMel(
  model: MelModel,
  samples: Float32Array,
  yielder: YieldController,
): Promise<LogMel> {
  await checkSamples(samples, yielder);
  const nMels = model.melBands();
  const window = model.windowFrames();
  const zeroCount = window * hopSamples;
  const nFrames = Math.floor((samples.length + zeroCount) / hopSamples);
  const data = new Float32Array(nMels * nFrames);
  let maximum = -Infinity;
  for (let first = 0; first < nFrames; first += window) {
    const count = Math.min(window, nFrames - first);
    maximum = Math.max(maximum, computeFrames(model, samples, zeroCount, first, count));
    transposeInto(data, nFrames, first, model.melWindow(), nMels, count);
    await yielder.step();
  }
  const floor = maximum - 8;
  for (let i = 0; i < data.length; ++i) data[i] = (Math.max(data[i] ?? 0, floor) + 4) / 4;
  return { data, nMels, nFrames };
}

/** Rows of `count` frames into columns [first, first + count). */
function transposeInto(
  data: Float32Array,
  nFrames: number,
  first: number,
  rows: Float32Array,
  nMels: number,
  count: number,
): void {
  for (let frame = 0; frame < count; ++frame) {
    for (let mel = 0; mel < nMels; ++mel) {
      data[mel * nFrames + first + frame] = rows[frame * nMels + mel] ?? 0;
    }
  }
}

/** [nMels × nFrames] of one window into the mel window. */
export function setMelWindow(model: Model, mel: Float32Array): void {
  const nMels = model.melBands();
  const nFrames = model.windowFrames();
  const rows = model.melWindow();
  for (let frame = 0; frame < nFrames; ++frame) {
    for (let band = 0; band < nMels; ++band) {
      rows[frame * nMels + band] = mel[band * nFrames + frame] ?? 0;
    }
  }
}

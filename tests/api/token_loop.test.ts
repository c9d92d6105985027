// No allocation in the token loop: the allocator's own count of calls, from one token to the next.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MainModule, Model } from '../../web/src/engine/engine.mjs';
import { engineModule, pushAll } from '../support/engine_module.js';
import { projectRoot } from '../support/shared_folder.js';

let module: MainModule;
let model: Model;

beforeAll(async () => {
  module = await engineModule();
  const loader = new module.Loader();
  expect(pushAll(loader, readFileSync(join(projectRoot, 'models/digits.apr')))).toBeUndefined();
  expect(loader.finish()).toBeUndefined();
  model = new module.Model();
  expect(model.create(loader)).toBeUndefined();
  loader.delete();
});
afterAll(() => {
  model.delete();
});

/** Seconds of the bundled sample in the mel window. */
function fillMel(): void {
  const wav = readFileSync(join(projectRoot, 'web/demo/sample.wav'));
  const pcm = new Int16Array(
    wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)),
  );
  const samples = Float32Array.from(pcm, (value) => value / 32768);
  model.sampleWindow().set(samples);
  const frames = 2 * model.dimensions().nAudioCtx;
  const maximum = model.computeLogMel(0, samples.length, frames * 160 - samples.length, 0, frames);
  model.normaliseMel(frames, maximum);
}

const allocations = () => module.heapStatistics().allocationCount;

describe.each([true, false])('decoding a window (timestamps: %s)', (timestamps) => {
  test('allocates nothing from token to token', () => {
    fillMel();
    const decoder = new module.WindowDecoder();
    expect(decoder.begin(model, { language: 'en', timestamps })).toBeUndefined();
    // Asking for the count is itself an allocation or two; what that costs is taken off.
    const first = allocations();
    const ofAsking = allocations() - first;
    const perStep: number[] = [];
    for (let step = module.Step.working; step !== module.Step.done;) {
      const before = allocations();
      step = decoder.step();
      expect(step).not.toBe(module.Step.failed);
      perStep.push(allocations() - before - ofAsking);
    }
    const tokens = decoder.tokens().length;
    decoder.delete();
    expect(tokens).toBeGreaterThan(8);
    expect(perStep.length).toBeGreaterThan(tokens);
    // Between encoder and first token the prompt and its filters are set up, once; the last step makes the text.
    const loop = perStep.slice(0, -1);
    expect(loop.filter((count) => count !== 0).length).toBeLessThanOrEqual(1);
    expect(perStep.length - loop.findLastIndex((count) => count !== 0)).toBeGreaterThan(tokens + 1);
  });
});

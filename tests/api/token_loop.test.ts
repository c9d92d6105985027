// No allocation in the token loop: the allocator's own count of calls, from one token to the next.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MainModule, Model } from '../../web/src/engine/engine.mjs';
import { modelBytes, sampleAudio } from '../support/embedded_model.js';
import { engineModule, pushAll } from '../support/engine_module.js';

let module: MainModule;
let model: Model;

beforeAll(async () => {
  module = await engineModule();
  const loader = new module.Loader();
  model = new module.Model();
  const error = pushAll(loader, modelBytes()) ?? loader.finish() ?? model.create(loader);
  if (error) throw new Error(`The model does not load: ${JSON.stringify(error)}`);
  loader.delete();
});
afterAll(() => {
  model.delete();
});

/** The bundled sample in the mel window. */
function fillMel(): void {
  const samples = sampleAudio();
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
    for (let isDone = false; !isDone;) {
      const before = allocations();
      const step = decoder.step();
      expect(step).not.toBe(module.Step.failed);
      isDone = step === module.Step.done;
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

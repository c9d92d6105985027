// No allocation in the token loop: the allocator's own count of calls, from one token to the next.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MainModule, Model } from '../../web/src/engine/engine.mjs';
import { modelBytes, sampleAudio } from '../support/embedded_model.js';
import { coreError, engineModule, pushAll } from '../support/engine_module.js';

let module: MainModule;
let model: Model;

beforeAll(async () => {
  module = await engineModule();
  const loader = new module.Loader();
  model = new module.Model();
  const error =
    pushAll(loader, modelBytes()) ?? coreError(loader.finish()) ?? coreError(model.create(loader));
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
  const frames = model.windowFrames();
  const maximum = model.computeLogMel(0, samples.length, frames * 160 - samples.length, 0, frames);
  model.normaliseMel(frames, maximum);
}

const allocations = () => module.heapStatistics().allocationCount;

const searches = {
  'greedy, with timestamps': { language: 'en' },
  'greedy, without timestamps': { language: 'en', timestamps: 'none' },
  'beam search': { language: 'en', beamSize: 5, patience: 2 },
  'beam search, without timestamps': { language: 'en', beamSize: 16, timestamps: 'none' },
  sampling: { language: 'en', temperature: 0.4, bestOf: 5, seed: 1 },
  'hotwords in a beam': { language: 'en', beamSize: 5, hotwords: [{ text: 'seven eight' }] },
  'allowed phrases': {
    language: 'en',
    allowed: ['three one four', 'one five nine', 'two six five'],
  },
};

describe.each(Object.entries(searches))('decoding a window by %s', (_name, options) => {
  test('allocates nothing from token to token', () => {
    fillMel();
    const work = new module.WindowWork();
    const { length } = sampleAudio();
    expect(work.begin(model, 'decode', JSON.stringify({ options }), length)).toBe('');
    // Asking for the count is itself an allocation or two; what that costs is taken off.
    const first = allocations();
    const ofAsking = allocations() - first;
    const perStep: number[] = [];
    for (let isDone = false; !isDone;) {
      const before = allocations();
      const step = work.step(0);
      expect(step).not.toBe(module.Step.failed);
      isDone = step === module.Step.done;
      perStep.push(allocations() - before - ofAsking);
    }
    const { tokens } = JSON.parse(work.result()) as { tokens: number[] };
    work.delete();
    expect(tokens.length).toBeGreaterThan(5);
    expect(perStep.length).toBeGreaterThan(tokens.length);
    // Between encoder and first token the prompt and its filters are set up, once; the last step makes the text.
    const loop = perStep.slice(0, -1);
    expect(loop.filter((count) => count !== 0).length).toBeLessThanOrEqual(1);
    const quiet = perStep.length - loop.findLastIndex((count) => count !== 0);
    expect(quiet).toBeGreaterThan(tokens.length + 1);
  });
});

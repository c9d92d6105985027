// The engine's heap is back at its mark after every call, whatever was asked for.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel } from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { tinyWhisper } from '../support/tiny_whisper.js';

let model: WhisperModel;
beforeAll(async () => {
  const { loadModel } = await builtPackage();
  model = await loadModel<'whisper'>(writeApr2(tinyWhisper()), { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

const samples = Float32Array.from({ length: 16000 }, (_, i) => Math.sin(i / 7) / 10);
/** Stops once the first window is done. */
function stopped(): PromiseLike<unknown> {
  const controller = new AbortController();
  const onProgress = ({ fraction = 0 }): void => {
    if (fraction > 0) controller.abort();
  };
  return errorOf(model.transcribe(samples, { signal: controller.signal, onProgress }));
}
async function* stream(): AsyncGenerator<Float32Array> {
  yield samples;
  await Promise.resolve();
}

const calls: Record<string, () => PromiseLike<unknown>> = {
  'transcribe()': () => model.transcribe(samples),
  'transcribe(), fallback to sampling': () =>
    model.transcribe(samples, { logprobThreshold: 0, bestOf: 5, noSpeechThreshold: null }),
  'transcribe(), beam and words': () =>
    model.transcribe(samples, { beamSize: 5, timestamps: 'word', patience: 2 }),
  'transcribe() of a stream': () => model.transcribe(stream()),
  'transcribe(), stopped': stopped,
  'decode(), greedy': () => model.decode(samples),
  'decode(), beam': () => model.decode(samples, { beamSize: 16 }),
  'decode(), sampling': () => model.decode(samples, { temperature: 1, bestOf: 16 }),
  'decode(), prompt and prefix': () =>
    model.decode(samples, { initialPrompt: 'a b a', prefix: 'b', sampleLength: 4 }),
  'decode(), hotwords and allowed': () =>
    model.decode(samples, { hotwords: [{ text: 'a b' }], allowed: ['a', 'a b', 'b'] }),
  'decode(), words': () => model.decode(samples, { timestamps: 'word' }),
  'decode(), refused by the core': () =>
    errorOf(model.decode(samples, { prefix: 'a b '.repeat(20) })),
  'score()': () => model.score(samples, ['a', 'b a', '']),
  'align()': () => model.align(samples, 'a b a'),
  'detectLanguage()': () => model.detectLanguage(samples),
  'logMel()': () => model.logMel(samples, { mode: 'whole' }),
};

test('7: memory starts small and grows with the model: the ten-word model has 16 MiB at most', async () => {
  const { loadModel } = await builtPackage();
  await using digits = await loadModel<'whisper'>('digits', { variant: 'simd' });
  const { wasmBytes } = await digits.memory();
  expect(wasmBytes).toBeGreaterThan(2 ** 21);
  expect(wasmBytes).toBeLessThanOrEqual(2 ** 24);
});

describe('100 calls leave the heap as it was', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    const call = calls[name]!;
    await call();
    const { heapBytes, wasmBytes } = await model.memory();
    const after = new Set<number>();
    for (let i = 0; i < 100; ++i) {
      await call();
      after.add((await model.memory()).heapBytes);
    }
    expect([...after]).toEqual([heapBytes]);
    expect((await model.memory()).wasmBytes).toBe(wasmBytes);
  });

  test('one after the other, in any order', async () => {
    const { heapBytes } = await model.memory();
    for (const call of Object.values(calls)) await call();
    expect((await model.memory()).heapBytes).toBe(heapBytes);
  });
});

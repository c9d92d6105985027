// Whatever is under way stops soon after its signal, and the model goes on.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Model } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { sampleAudio, sampleText } from '../support/embedded_model.js';

let model: Model;
beforeAll(async () => {
  model = await (await builtPackage()).loadModel(undefined, { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

const samples = sampleAudio();
const long = new Float32Array(40 * samples.length);
for (let i = 0; i < 40; ++i) long.set(samples, i * samples.length);
const texts = Array.from({ length: 200 }, (_, i) => `${sampleText} ${'one two '.repeat(i % 9)}`);

/** Each of them takes a tenth of a second at least, most of them many. */
const calls: Record<string, (signal: AbortSignal) => PromiseLike<unknown>> = {
  'transcribe()': (signal) => model.transcribe(long, { signal }),
  'transcribe(), beam and words': (signal) =>
    model.transcribe(long, { signal, beamSize: 5, timestamps: 'word' }),
  'transcribe(), sampling': (signal) =>
    model.transcribe(long, { signal, temperature: 1, bestOf: 16 }),
  'decode(), words after a beam': (signal) =>
    model.decode(samples, { signal, beamSize: 16, timestamps: 'word' }),
  'score()': (signal) => model.score(samples, texts, { signal }),
  'align()': (signal) => model.align(samples, 'one two three '.repeat(60), { signal }),
};

const soon = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

describe('the signal stops', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    let worst = 0;
    let abortCount = 0;
    for (const delay of [0, 10, 20, 60, 110, 170]) {
      const controller = new AbortController();
      const ended = Promise.resolve(calls[name]!(controller.signal)).then(
        () => undefined,
        (error: unknown) => error,
      );
      await soon(delay);
      const begun = performance.now();
      controller.abort();
      const error = await ended;
      // A fast machine was through before.
      if (error === undefined) break;
      expect(error).toMatchObject({ code: 'aborted' });
      worst = Math.max(worst, performance.now() - begun);
      ++abortCount;
    }
    expect(abortCount).toBeGreaterThan(1);
    console.info(`${name}: at most ${worst.toFixed(0)} ms`);
    // A step takes a hundredth of that; the rest is for machines that do other things besides.
    expect(worst).toBeLessThan(1000);
    expect((await model.decode(samples)).text).toBe(sampleText);
  });
});

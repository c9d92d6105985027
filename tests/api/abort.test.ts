// Whatever is under way stops at the step after its signal, and the model goes on.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';
import { leapClock, turns, turnsUntil } from '../support/turns.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let model: WhisperModel;
beforeAll(async () => {
  susurrus = await builtPackage();
  model = await susurrus.loadModel<'whisper'>('digits', { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

const samples = sampleAudio();
const long = new Float32Array(40 * samples.length);
for (let i = 0; i < 40; ++i) long.set(samples, i * samples.length);
const texts = Array.from({ length: 200 }, (_, i) => `${sampleText} ${'one two '.repeat(i % 9)}`);

/** Each of them has many more steps than are waited for here. */
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

describe('the signal stops', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    const right = leapClock(); // so that each step has its turn
    try {
      for (const steps of [0, 1, 2, 5, 10, 20, 40]) {
        const controller = new AbortController();
        const ended = errorOf(calls[name]!(controller.signal));
        await turns(steps);
        const reason = new Error('no longer wanted');
        controller.abort(reason);
        const count = await turnsUntil(ended);
        // As platform code tells an abort, and as ours does.
        expect(await ended).toMatchObject({ name: 'AbortError', code: 'aborted', cause: reason });
        expect(await ended).toBeInstanceOf(susurrus.SusurrusError);
        expect(count).toBeLessThanOrEqual(2);
      }
    } finally {
      right();
    }
    expect((await model.decode(samples)).text).toBe(sampleText);
  });
});

test('an AbortError of the platform is not taken for one of this package', () => {
  expect(new DOMException('enough', 'AbortError')).not.toBeInstanceOf(susurrus.SusurrusError);
  expect(new susurrus.SusurrusError('aborted', 'Stopped.')).toBeInstanceOf(susurrus.SusurrusError);
});

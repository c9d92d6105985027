// audioContext: how much of a window is encoded, and what the results say of it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Model, TranscribeOptions } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { sampleAudio, sampleText } from '../support/embedded_model.js';

let model: Model;
const samples = sampleAudio();
const positions = Math.ceil(samples.length / 320);

beforeAll(async () => {
  model = await (await builtPackage()).loadModel('digits', { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

describe("'full'", () => {
  test('is the default, and all positions by number are the same', async () => {
    const result = await model.transcribe(samples, { timestamps: 'word' });
    expect(result.segments.map(({ audioContext }) => audioContext)).toEqual(
      result.segments.map(() => 1500),
    );
    for (const audioContext of ['full', 1500] as const) {
      expect(await model.transcribe(samples, { timestamps: 'word', audioContext })).toEqual(result);
    }
  });
});

describe("'auto'", () => {
  test.each<TranscribeOptions>([{}, { beamSize: 3 }, { timestamps: 'none' }, { language: 'en' }])(
    'hears a short recording in less than a window: %j',
    async (options) => {
      const { text, segments } = await model.transcribe(samples, {
        ...options,
        audioContext: 'auto',
      });
      expect(text.trim()).toBe(sampleText);
      for (const { audioContext, attempts, decision } of segments) {
        expect(audioContext).toBeGreaterThan(positions);
        expect(audioContext).toBeLessThan(1500);
        expect(attempts.map((attempt) => attempt.audioContext)).toEqual([audioContext]);
        expect(decision).toBe('kept');
      }
    },
  );

  test('times words within the recording', async () => {
    const { words = [] } = await model.decode(samples, {
      timestamps: 'word',
      audioContext: 'auto',
    });
    const full = (await model.decode(samples, { timestamps: 'word' })).words ?? [];
    expect(words.map(({ word }) => word)).toEqual(full.map(({ word }) => word));
    for (const [i, { start, end }] of words.entries()) {
      expect(Math.abs(start - full[i]!.start)).toBeLessThan(0.2);
      expect(Math.abs(end - full[i]!.end)).toBeLessThan(0.2);
    }
  });

  test('falls back to the whole window where the text is in doubt, and says so', async () => {
    const options = { temperature: 0, logprobThreshold: -0.0001 } as const;
    for (const full of [
      await model.decode(samples, options),
      (await model.transcribe(samples, options)).segments[0]!,
    ]) {
      expect(full.attempts).toHaveLength(1);
    }
    const full = await model.decode(samples, options);
    const auto = await model.decode(samples, { ...options, audioContext: 'auto' });
    const [first, ...rest] = auto.attempts;
    expect(first).toMatchObject({ decision: 'retried:audio-context', temperature: 0 });
    expect(first!.audioContext).toBeLessThan(1500);
    expect({ ...auto, decision: 'kept', attempts: rest }).toEqual(full);
    expect(auto.decision).toBe('retried:audio-context');
    const { segments } = await model.transcribe(samples, { ...options, audioContext: 'auto' });
    expect(segments[0]).toMatchObject({ decision: 'retried:audio-context', audioContext: 1500 });
  });

  test('falls back where the text says the same twice, and says so', async () => {
    const twice = new Float32Array(2 * samples.length);
    twice.set(samples);
    twice.set(samples, samples.length);
    const full = await model.decode(twice);
    expect(full.text).toBe(`${sampleText} ${sampleText}`);
    const auto = await model.decode(twice, { audioContext: 'auto' });
    const [first, ...rest] = auto.attempts;
    expect(first).toMatchObject({ decision: 'retried:audio-context', text: full.text });
    expect(first!.audioContext).toBeLessThan(1500);
    expect({ ...auto, decision: 'kept', attempts: rest }).toEqual(full);
  });

  test('leaves full windows of a recording and of a stream as they are', async () => {
    const long = new Float32Array(16000 * 33);
    for (let at = 0; at < long.length; at += samples.length)
      long.set(samples.subarray(0, long.length - at), at);
    const stream = (async function* () {
      yield long;
      await Promise.resolve();
    })();
    for (const audio of [long, stream]) {
      const { segments, rejected } = await model.transcribe(audio, {
        audioContext: 'auto',
        timestamps: 'none',
      });
      const windows = [...segments, ...rejected].sort((a, b) => a.seek - b.seek);
      expect(windows.map(({ seek }) => seek)).toEqual([0, 3000]);
      expect(windows[0]!.audioContext).toBe(1500);
      expect(windows[1]!.attempts[0]!.audioContext).toBeLessThan(1500);
    }
  });

  test('serves score(), align() and detectLanguage()', async () => {
    const audioContext = 'auto';
    const scores = await model.score(samples, [sampleText, 'nine'], { audioContext });
    expect(scores[0]!.logprob).toBeGreaterThan(scores[1]!.logprob);
    const words = await model.align(samples, sampleText, { audioContext });
    expect(words.map(({ word }) => word.trim()).join(' ')).toBe(sampleText);
    const full = await model.detectLanguage(samples);
    const found = await model.detectLanguage(samples, { audioContext });
    expect(found.map(({ language }) => language)).toEqual(full.map(({ language }) => language));
  });
});

describe('a number', () => {
  test('bounds the window: a longer recording is heard in several', async () => {
    // The default mode skips windows of silence.
    const { segments, rejected } = await model.transcribe(samples, {
      audioContext: 100,
      timestamps: 'none',
      compatibility: 'openai',
    });
    const windows = [...segments, ...rejected].sort((a, b) => a.seek - b.seek);
    expect(windows.map(({ seek }) => seek)).toEqual(
      Array.from({ length: Math.ceil(Math.floor(samples.length / 160) / 200) }, (_, i) => 200 * i),
    );
    expect(windows.every(({ audioContext }) => audioContext === 100)).toBe(true);
  });

  test('cuts what decode() hears', async () => {
    const options = { audioContext: 100, timestamps: 'word' } as const;
    const cut = await model.decode(samples.subarray(0, 32000), options);
    expect(await model.decode(samples, options)).toEqual(cut);
    expect(cut.audioContext).toBe(100);
    for (const { end } of cut.words ?? []) expect(end).toBeLessThanOrEqual(2);
  });

  test('never falls back', async () => {
    const options = { temperature: 0, logprobThreshold: -0.0001, audioContext: 500 } as const;
    const { attempts, audioContext } = await model.decode(samples, options);
    expect(attempts).toHaveLength(1);
    expect(audioContext).toBe(500);
  });
});

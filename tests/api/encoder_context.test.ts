// encoderContext: how much of a window is encoded, and what the results say of it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel, TranscribeOptions } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { sampleAudio, sampleText } from '../support/embedded_model.js';

let model: WhisperModel;
const samples = sampleAudio();
const positions = Math.ceil(samples.length / 320);

beforeAll(async () => {
  model = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

describe("'full'", () => {
  test('is the default, and all positions by number are the same', async () => {
    const result = await model.transcribe(samples, { timestamps: 'word' });
    expect(result.segments.map(({ encoderContext }) => encoderContext)).toEqual(
      result.segments.map(() => 1500),
    );
    for (const encoderContext of ['full', 1500] as const) {
      expect(await model.transcribe(samples, { timestamps: 'word', encoderContext })).toEqual(
        result,
      );
    }
  });
});

describe("'auto'", () => {
  test.each<TranscribeOptions>([{}, { beamSize: 3 }, { timestamps: 'none' }, { language: 'en' }])(
    'hears a short recording in less than a window: %j',
    async (options) => {
      const { text, segments } = await model.transcribe(samples, {
        ...options,
        encoderContext: 'auto',
      });
      expect(text.trim()).toBe(sampleText);
      for (const { encoderContext, attempts, decision } of segments) {
        expect(encoderContext).toBeGreaterThan(positions);
        expect(encoderContext).toBeLessThan(1500);
        expect(attempts.map((attempt) => attempt.encoderContext)).toEqual([encoderContext]);
        expect(decision).toBe('kept');
      }
    },
  );

  test('times words within the recording', async () => {
    const { words = [] } = await model.decode(samples, {
      timestamps: 'word',
      encoderContext: 'auto',
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
    const auto = await model.decode(samples, { ...options, encoderContext: 'auto' });
    const [first, ...rest] = auto.attempts;
    expect(first).toMatchObject({ decision: 'retried:encoder-context', temperature: 0 });
    expect(first!.encoderContext).toBeLessThan(1500);
    expect({ ...auto, decision: 'kept', attempts: rest }).toEqual(full);
    expect(auto.decision).toBe('retried:encoder-context');
    const { segments } = await model.transcribe(samples, { ...options, encoderContext: 'auto' });
    expect(segments[0]).toMatchObject({
      decision: 'retried:encoder-context',
      encoderContext: 1500,
    });
  });

  test('falls back where the text says the same twice, and says so', async () => {
    const twice = new Float32Array(2 * samples.length);
    twice.set(samples);
    twice.set(samples, samples.length);
    const full = await model.decode(twice);
    expect(full.text).toBe(`${sampleText} ${sampleText}`);
    const auto = await model.decode(twice, { encoderContext: 'auto' });
    const [first, ...rest] = auto.attempts;
    expect(first).toMatchObject({ decision: 'retried:encoder-context', text: full.text });
    expect(first!.encoderContext).toBeLessThan(1500);
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
        encoderContext: 'auto',
        timestamps: 'none',
      });
      const windows = [...segments, ...rejected].sort((a, b) => a.seek - b.seek);
      expect(windows.map(({ seek }) => seek)).toEqual([0, 3000]);
      expect(windows[0]!.encoderContext).toBe(1500);
      expect(windows[1]!.attempts[0]!.encoderContext).toBeLessThan(1500);
    }
  });

  test('serves score(), align() and detectLanguage()', async () => {
    const encoderContext = 'auto';
    const scores = await model.score(samples, [sampleText, 'nine'], { encoderContext });
    expect(scores[0]!.logprob).toBeGreaterThan(scores[1]!.logprob);
    const words = await model.align(samples, sampleText, { encoderContext });
    expect(words.map(({ word }) => word.trim()).join(' ')).toBe(sampleText);
    const full = await model.detectLanguage(samples);
    const found = await model.detectLanguage(samples, { encoderContext });
    expect(found.map(({ language }) => language)).toEqual(full.map(({ language }) => language));
  });
});

describe('a number', () => {
  test('bounds the window: a longer recording is heard in several', async () => {
    // The default mode skips windows of silence.
    const { segments, rejected } = await model.transcribe(samples, {
      encoderContext: 100,
      timestamps: 'none',
      compatibility: 'openai',
    });
    const windows = [...segments, ...rejected].sort((a, b) => a.seek - b.seek);
    expect(windows.map(({ seek }) => seek)).toEqual(
      Array.from({ length: Math.ceil(Math.floor(samples.length / 160) / 200) }, (_, i) => 200 * i),
    );
    expect(windows.every(({ encoderContext }) => encoderContext === 100)).toBe(true);
  });

  test('cuts what decode() hears', async () => {
    const options = { encoderContext: 100, timestamps: 'word' } as const;
    const cut = await model.decode(samples.subarray(0, 32000), options);
    expect(await model.decode(samples, options)).toEqual(cut);
    expect(cut.encoderContext).toBe(100);
    for (const { end } of cut.words ?? []) expect(end).toBeLessThanOrEqual(2);
  });

  test('never falls back', async () => {
    const options = { temperature: 0, logprobThreshold: -0.0001, encoderContext: 500 } as const;
    const { attempts, encoderContext } = await model.decode(samples, options);
    expect(attempts).toHaveLength(1);
    expect(encoderContext).toBe(500);
  });
});

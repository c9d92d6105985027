// What listens to a window besides transcribe(): score(), align(), detectLanguage(); hotwords, allowed phrases, seeds.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DecodeOptions, WhisperModel } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';
import { sharedJson } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared } from '../support/shared_folder.js';

let model: WhisperModel;
const samples = sampleAudio();
const duration = samples.length / 16000;

beforeAll(async () => {
  model = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

describe('decode()', () => {
  test("with timestamps: 'word' times every word, within the audio and in order", async () => {
    const { text, words = [] } = await model.decode(samples, { timestamps: 'word' });
    expect(
      words
        .map(({ word }) => word)
        .join('')
        .trim(),
    ).toBe(text);
    let last = 0;
    for (const { start, end, probability } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThanOrEqual(1);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(duration);
  });

  test('has no words otherwise', async () => {
    expect(await model.decode(samples)).not.toHaveProperty('words');
  });

  test('tells every attempt, and why it was not the last', async () => {
    const result = await model.decode(samples, {
      temperature: [0, 0.2, 0.4],
      logprobThreshold: -0.01,
      noSpeechThreshold: null,
    });
    expect(result.decision).toBe('retried:log-probability');
    expect(result.attempts.map(({ temperature }) => temperature)).toEqual([0, 0.2, 0.4]);
    expect(result.attempts[0]).toMatchObject({ decision: 'retried:log-probability' });
    expect(result.attempts.at(-1)).toMatchObject({
      decision: 'kept',
      temperature: result.temperature,
      avgLogprob: result.avgLogprob,
    });
  });

  test('says where transcribe() would drop the window, which then is among the rejected', async () => {
    const options = { noSpeechThreshold: 0, logprobThreshold: null } as const;
    expect(await model.decode(samples, options)).toMatchObject({ decision: 'dropped:no-speech' });
    const { segments, rejected, text } = await model.transcribe(samples, options);
    expect([segments.length, text]).toEqual([0, '']);
    expect(rejected.map(({ decision }) => decision)).toEqual(['dropped:no-speech']);
    expect(rejected[0]!.text.trim()).toBe(sampleText);
  });

  test('gives a probability for each token', async () => {
    const { tokens, tokenProbabilities } = await model.decode(samples);
    expect(tokenProbabilities).toHaveLength(tokens.length);
    expect(tokenProbabilities.every((p) => p > 0 && p <= 1)).toBe(true);
  });
});

describe('seeds', () => {
  const hot: DecodeOptions = {
    temperature: 1,
    bestOf: 3,
    timestamps: 'none',
    compressionRatioThreshold: null,
    logprobThreshold: null,
  };
  /** Noise, of which the model makes something else every time. */
  const noise = Float32Array.from({ length: 48000 }, (_, i) => Math.sin(i * i * 0.7) / 20);
  const textOf = async (seed: number) => (await model.decode(noise, { ...hot, seed })).tokens;

  test('the same one gives the same text, here and on another engine', async () => {
    const first = await textOf(7);
    expect(await textOf(7)).toEqual(first);
    using other = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
    expect((await other.decode(noise, { ...hot, seed: 7 })).tokens).toEqual(first);
    const whole = { ...hot, seed: 7, noSpeechThreshold: null } as const;
    const { text } = await model.transcribe(noise, whole);
    expect((await model.transcribe(noise, whole)).text).toBe(text);
  });

  test('others give others', async () => {
    const texts = new Set<string>();
    for (let seed = 0; seed < 8; ++seed) texts.add(String(await textOf(seed)));
    expect(texts.size).toBeGreaterThan(2);
  });

  test('without one it is 0', async () => {
    expect((await model.decode(noise, hot)).tokens).toEqual(await textOf(0));
  });
});

describe('hotwords', () => {
  const decode = async (options: DecodeOptions) =>
    (await model.decode(samples, { timestamps: 'none', ...options })).text;

  test.each([{}, { beamSize: 3 }])('with a heavy weight are heard: %j', async (search) => {
    expect(await decode(search)).toBe(sampleText);
    const heard = await decode({ ...search, hotwords: [{ text: 'eight', weight: 20 }] });
    expect(heard).toContain('eight');
  });

  test('with a negative weight are not', async () => {
    const heard = await decode({ hotwords: [{ text: 'five', weight: -20 }] });
    expect(heard).not.toContain('five');
  });

  test('of no weight change nothing', async () => {
    expect(await decode({ hotwords: [{ text: 'eight', weight: 0 }] })).toBe(sampleText);
  });
});

describe('allowed phrases', () => {
  test.each([{}, { beamSize: 3 }, { timestamps: 'none' } as const])(
    'are all that can be heard: %j',
    async (search) => {
      const allowed = ['three one four', 'one five nine', 'two six five', 'zero'];
      const { text } = await model.decode(samples, { ...search, allowed });
      expect(text).toBe(sampleText);
      const other = await model.decode(samples, { ...search, allowed: ['eight', 'seven eight'] });
      expect(other.text).toMatch(/^((seven )?eight ?)*$/);
    },
  );

  test('hold in every window', async () => {
    const { text } = await model.transcribe(samples, { allowed: ['one', 'two'] });
    expect(text).toMatch(/^( (one|two))*$/);
  });
});

describe('score()', () => {
  test('prefers what was said, and adds up over its tokens', async () => {
    const candidates = ['three one four', sampleText, 'nine nine nine', ` ${sampleText} `];
    const scores = await model.score(samples, candidates);
    expect(scores.map(({ text }) => text)).toEqual(candidates);
    const best = scores[1]!;
    expect(scores.every(({ logprob }) => logprob <= best.logprob)).toBe(true);
    // White space around a text is not part of it.
    expect(scores[3]).toMatchObject({ tokens: best.tokens, logprob: best.logprob });
    for (const { tokens, logprob, avgLogprob } of scores) {
      expect(logprob).toBeLessThan(0);
      expect(avgLogprob).toBeCloseTo(logprob / (tokens.length + 1), 9);
    }
  });

  test("equals decode()'s own probability of what it wrote", async () => {
    const options = { timestamps: 'none', suppressTokens: null, suppressBlank: false } as const;
    const { tokens, avgLogprob } = await model.decode(samples, options);
    const [score] = await model.score(samples, [sampleText]);
    expect(score!.tokens).toEqual(tokens);
    expect(score!.avgLogprob).toBeCloseTo(avgLogprob, 3);
  });

  test('refuses a text that the model has no room for', async () => {
    const error = await errorOf(model.score(samples, ['one '.repeat(300)]));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'candidates' } });
  });
});

describe('align()', () => {
  test('gives the words of the text, in order', async () => {
    const words = await model.align(samples, sampleText);
    expect(words.map(({ word }) => word.trim()).join(' ')).toBe(sampleText);
    let last = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(duration);
  });

  test('65: numerals and symbols have times like other words', async () => {
    const text = '21st, 4% of $5.50 at 3:45';
    const words = await model.align(samples, text);
    expect(words.map(({ word }) => word).join('')).toBe(` ${text}`);
    let last = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end - start).toBeGreaterThan(0.009);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(duration);
  });

  test('of nothing is nothing', async () => {
    expect(await model.align(samples, '')).toEqual([]);
  });

  test('refuses a text that the model has no room for', async () => {
    const error = await errorOf(model.align(samples, 'one '.repeat(300)));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'text' } });
  });
});

test('detectLanguage() of a model of one language is empty', async () => {
  expect(await model.detectLanguage(samples)).toEqual([]);
});

interface Recording {
  readonly file: string;
  readonly text: string;
  readonly digits: readonly { digit: number | string; start: number; end: number }[];
}

describeWithShared(['digits-model/eval'], 'on recordings of digits', () => {
  const { recordings } = sharedJson('digits-model/eval/expected.json') as {
    recordings: Recording[];
  };
  const short = recordings.filter(({ file }) => file.startsWith('short-'));

  test.each(short)('score() tells $file from a text with one digit changed', async (recording) => {
    const audio = wavSamples(`digits-model/eval/${recording.file}`);
    const digits = recording.text.trim().split(' ');
    const changed = digits.map((digit, i) =>
      i === 1 ? (digit === 'two' ? 'nine' : 'two') : digit,
    );
    const [right, wrong] = await model.score(audio, [recording.text, changed.join(' ')]);
    expect(right!.logprob).toBeGreaterThan(wrong!.logprob);
  });

  test('align() finds the digits', async () => {
    const errors: number[] = [];
    for (const { file, text, digits } of short) {
      const words = await model.align(wavSamples(`digits-model/eval/${file}`), text);
      expect(words).toHaveLength(digits.length);
      // A word lasts from the end of the one before; it ends where its digit does.
      words.forEach(({ end }, i) => errors.push(Math.abs(end - digits[i]!.end)));
    }
    errors.sort((a, b) => a - b);
    console.info(`word ends off by ${errors[errors.length >> 1]!.toFixed(2)} s (median)`);
    expect(errors[errors.length >> 1]).toBeLessThan(0.15);
  });
});

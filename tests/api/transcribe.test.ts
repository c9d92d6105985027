import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AudioInput, WhisperModel, Progress, Segment } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleBytes, sampleText } from '../support/embedded_model.js';
import { leapClock, turnsUntil } from '../support/turns.js';
import { expectOneBar } from '../support/one_bar.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
let model: WhisperModel;
const samples = sampleAudio();

beforeAll(async () => {
  susurrus = await builtPackage();
  model = await susurrus.loadModel<'whisper'>('digits');
});
afterAll(() => {
  model.dispose();
});

/** The sample again at twice the rate, by repeating every value. */
const doubled = Float32Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);

describe('transcribe()', () => {
  test('gives text, segments with times, language and duration', async () => {
    const result = await model.transcribe(samples);
    expect(result.text.trim()).toBe(sampleText);
    expect(result.language).toBe('en');
    expect(result.duration).toBeCloseTo(samples.length / 16000, 6);
    expect(result.segments.map((segment) => segment.text).join('')).toBe(result.text);
    const { timestampBegin } = model.tokenizer.special;
    for (const segment of result.segments) {
      expect(segment.end).toBeGreaterThan(segment.start);
      expect(segment.end).toBeLessThan(result.duration + 1);
      expect(segment.tokens.some((token) => token >= timestampBegin)).toBe(true);
      expect(segment.avgLogprob).toBeLessThan(0);
      expect(segment).toMatchObject({ temperature: 0, seek: 0 });
    }
  });

  test('is iterable while it works, any number of times', async () => {
    const work = model.transcribe(samples);
    const first: Segment[] = [];
    for await (const segment of work) first.push(segment);
    const again: Segment[] = [];
    for await (const segment of work) again.push(segment);
    const { segments } = await work;
    expect(segments.length).toBeGreaterThan(0);
    expect(first).toEqual(segments);
    expect(again).toEqual(segments);
  });

  const stereo = new Float32Array(2 * samples.length);
  samples.forEach((value, i) => stereo.set([value, value], 2 * i));
  const inputs: Record<string, () => AudioInput> = {
    'WAV bytes': () => sampleBytes(),
    'a Blob': () => new Blob([sampleBytes()]),
    'an ArrayBuffer': () => sampleBytes().slice().buffer,
    'mono PCM': () => ({ samples, sampleRate: 16000 }),
    'interleaved stereo': () => ({ samples: stereo, sampleRate: 16000, channels: 2 }),
    'one array per channel': () => ({ samples: [samples, samples], sampleRate: 16000 }),
    'another rate': () => ({ samples: doubled, sampleRate: 32000 }),
    'an AudioBuffer': () => ({
      sampleRate: 32000,
      numberOfChannels: 2,
      length: doubled.length,
      getChannelData: () => doubled,
    }),
  };
  test.each(Object.keys(inputs))('takes %s', async (name) => {
    const { text } = await model.transcribe(inputs[name]!());
    expect(text.trim()).toBe(sampleText);
  });

  test('without timestamps gives no timestamp tokens', async () => {
    const { segments, text } = await model.transcribe(samples, { timestamps: 'none' });
    const { timestampBegin } = model.tokenizer.special;
    expect(text.trim()).toBe(sampleText);
    expect(segments.flatMap(({ tokens }) => tokens).every((id) => id < timestampBegin)).toBe(true);
  });

  test('says how far it is', async () => {
    const events: Progress[] = [];
    await model.transcribe(samples, { onProgress: (event) => void events.push(event) });
    expect(events.at(-1)).toMatchObject({ phase: 'transcribe', fraction: 1 });
    expect(events.every(({ fraction = -1 }, i) => fraction >= (events[i - 1]?.fraction ?? 0))).toBe(
      true,
    );
    expectOneBar(events);
    expect(events.every(({ overall, fraction }) => overall === fraction)).toBe(true);
  });

  test('of nothing is nothing', async () => {
    expect(await model.transcribe(new Float32Array())).toMatchObject({
      text: '',
      duration: 0,
      segments: [],
    });
  });

  test('leaves the event loop its turns', async () => {
    const right = leapClock();
    try {
      const count = await turnsUntil(Promise.resolve(model.transcribe(samples)));
      // A turn after each step of the encoder and after each token; a thread that never yields has none.
      expect(count).toBeGreaterThan(20);
    } finally {
      right();
    }
  });
});

describe('the conformance surface', () => {
  test('decode() is one window', async () => {
    const { tokens, text, language, avgLogprob, noSpeechProb } = await model.decode(samples, {
      timestamps: 'none',
      temperature: 0,
      compatibility: 'openai',
    });
    expect(text.trim()).toBe(sampleText);
    expect((await model.tokenizer.decode(tokens)).trim()).toBe(text);
    expect([language, avgLogprob < 0, noSpeechProb < 0.5]).toEqual(['en', true, true]);
  });

  test('logMel(), encode() and logits() work in this order only', async () => {
    const fresh = await susurrus.loadModel<'whisper'>('digits');
    const { startOfTranscript } = fresh.tokenizer.special;
    expect(await errorOf(fresh.logits([startOfTranscript]))).toMatchObject({ code: 'wrong_state' });
    const mel = await fresh.logMel(samples);
    expect([mel.nMels, mel.nFrames, mel.data.length]).toEqual([80, 3000, 240000]);
    expect(await fresh.encode(mel)).toHaveLength(1500 * 96);
    const logits = await fresh.logits([startOfTranscript]);
    expect(logits).toHaveLength(1776);
    expect(logits.every(Number.isFinite)).toBe(true);
    fresh.dispose();
  });

  test('logMel() of the whole recording has 30 s of silence behind it', async () => {
    const mel = await model.logMel(samples, { mode: 'whole' });
    expect(mel.nFrames).toBe(Math.floor(samples.length / 160) + 3000);
    const window = await model.logMel(samples);
    // The loudest value sets both floors, so that the sounding frames are the same.
    expect(mel.data[100]).toBeCloseTo(window.data[100]!, 5);
  });

  test('the tokenizer gives text back', async () => {
    const tokens = await model.tokenizer.encode(' one two');
    expect(tokens).toEqual([257, 258]);
    expect(await model.tokenizer.decode(tokens)).toBe(' one two');
    expect(model.tokenizer.special).toMatchObject({ endOfText: 266, languages: { en: 268 } });
  });

  test.each(['\uFEFF', `\uFEFF${' one'.repeat(20)}`, '\u0000"\\'])(
    'the tokenizer keeps every character: %j',
    async (text) => {
      expect(await model.tokenizer.decode(await model.tokenizer.encode(text))).toBe(text);
    },
  );
});

describe('audio', () => {
  test.each([
    ['a number', 5],
    ['null', null],
    ['PCM without a rate', { samples }],
    ['PCM with a wrong rate', { samples, sampleRate: -1 }],
    ['planes of different lengths', { samples: [samples, doubled], sampleRate: 16000 }],
  ])('%s is none', async (_, audio) => {
    const error = await errorOf(model.decode(audio as unknown as AudioInput));
    expect(error).toMatchObject({ code: 'invalid_argument' });
  });

  test('bytes that are none say so', async () => {
    const error = await errorOf(model.transcribe(new TextEncoder().encode('just a text file')));
    expect(error).toMatchObject({ details: { reason: 'bad_audio' } });
  });
});

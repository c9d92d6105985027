// transcribe({ vad }): no word is lost, times are those of the recording, and silence is not heard.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel, Segment, Transcript } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';
import { joined } from '../../web/src/api/joined.js';
import { rounds } from '../support/turns.js';

const rate = 16000;

const sample = sampleAudio();
let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let model: WhisperModel;
beforeAll(async () => {
  susurrus = await builtPackage();
  model = await susurrus.loadModel<'whisper'>('digits');
});
afterAll(() => {
  model.dispose();
});

/** Uniform noise, the same in every run. */
function noise(seconds: number, level: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: seconds * rate }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return level * (state / 2 ** 31 - 1);
  });
}

async function* inPieces(samples: Float32Array, size: number): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += size) {
    await Promise.resolve();
    yield samples.subarray(at, at + size);
  }
}

const wordsOf = ({ text }: { readonly text: string }): string[] =>
  text.trim().split(/\s+/).filter(Boolean);
const sampleSeconds = sample.length / rate;
/** As much noise as speech. */
const gap = noise(9, 0.001);
const gapSeconds = gap.length / rate;
const recording = joined([gap, sample, gap, sample], Float32Array);
const secondBegin = 2 * gapSeconds + sampleSeconds;
const bothTexts = [...sampleText.split(' '), ...sampleText.split(' ')];

function expectTrueTimes({ segments, duration }: Transcript): void {
  const words = segments.flatMap((segment: Segment) => segment.words ?? []);
  expect(words).toHaveLength(18);
  const first = words.slice(0, 9);
  const second = words.slice(9);
  for (const { start, end } of first) {
    expect(start).toBeGreaterThanOrEqual(gapSeconds - 0.1);
    expect(end).toBeLessThanOrEqual(gapSeconds + sampleSeconds + 0.1);
    expect(end).toBeGreaterThanOrEqual(start);
  }
  for (const { start, end } of second) {
    expect(start).toBeGreaterThanOrEqual(secondBegin - 0.1);
    expect(end).toBeLessThanOrEqual(duration + 0.1);
  }
  // Each word of the second reading is as far from its twin as the readings are.
  for (const [i, { start }] of first.entries()) {
    expect(Math.abs((second[i]?.start ?? 0) - start - gapSeconds - sampleSeconds)).toBeLessThan(
      0.5,
    );
  }
  for (const { start, end } of segments) {
    expect(end).toBeGreaterThanOrEqual(start);
    const isFirst = start >= gapSeconds - 0.1 && end <= gapSeconds + sampleSeconds + 0.1;
    const isSecond = start >= secondBegin - 0.1 && end <= duration + 0.1;
    expect(isFirst || isSecond).toBe(true);
  }
}

describe('a recording with as much noise as speech', () => {
  test('short silence stays, before and behind speech too: what is heard is the same', async () => {
    const rec = joined([noise(1, 0.001), sample, noise(1, 0.001)], Float32Array);
    const options = { timestamps: 'word' } as const;
    for (const audio of [() => rec, () => inPieces(rec, 1000)]) {
      const expected = await model.transcribe(audio(), options);
      const { segments, duration } = await model.transcribe(audio(), { ...options, vad: true });
      expect(segments).toEqual(expected.segments);
      expect(duration).toBe(expected.duration);
    }
  });

  test('has all its words, at their times, and its own length', async () => {
    const steps: number[] = [];
    const heard = await model.transcribe(recording, {
      vad: true,
      timestamps: 'word',
      onProgress: ({ phase, loaded, total, fraction }) => {
        if (phase !== 'transcribe') return;
        steps.push(loaded);
        expect(loaded).toBeLessThanOrEqual(recording.length / rate + 0.01);
        if (total !== undefined) expect(total).toBeCloseTo(recording.length / rate, 3);
        if (fraction !== undefined) expect(fraction).toBeLessThanOrEqual(1);
      },
    });
    expect(wordsOf(heard)).toEqual(bothTexts);
    expect(heard.duration).toBeCloseTo(recording.length / rate, 3);
    expectTrueTimes(heard);
    expect([...steps].sort((a, b) => a - b)).toEqual(steps);
    expect(steps.length).toBeGreaterThan(0);
  });

  test('is the same as a stream', async () => {
    const stream = inPieces(recording, 50000);
    const heard = await model.transcribe(stream, { vad: true, timestamps: 'word' });
    expect(wordsOf(heard)).toEqual(bothTexts);
    expect(heard.duration).toBeCloseTo(recording.length / rate, 3);
    expectTrueTimes(heard);
  });

  test('gives what lies in clips alone', async () => {
    const clipTimestamps = [secondBegin - 1];
    const heard = await model.transcribe(recording, { vad: {}, clipTimestamps });
    expect(wordsOf(heard)).toEqual(sampleText.split(' '));
    for (const { start } of heard.segments) expect(start).toBeGreaterThan(secondBegin - 1);
    const none = await model.transcribe(recording, { vad: true, clipTimestamps: [0, 5] });
    expect(none.text).toBe('');
  });

  test('is saved and resumed', async () => {
    const long = joined(
      [sample, gap.subarray(0, 3 * rate), sample, gap.subarray(0, 3 * rate), sample, sample],
      Float32Array,
    );
    const options = { vad: { maxSpeechDuration: Infinity } };
    const whole = await model.transcribe(long, options);
    const first = model.transcribe(long, options);
    for await (const segment of first) {
      expect(segment.text).toBe(whole.segments[0]?.text);
      break;
    }
    const saved = first.save();
    if (saved === undefined) throw new Error('It was expected to be saved.');
    const stored = JSON.parse(JSON.stringify(saved)) as typeof saved;
    expect(stored.sampleCount).toBe(long.length);
    const rest = await model.transcribe(long, { from: stored });
    expect(rest.text).toBe(whole.text);
    expect(rest.segments.map(({ start, end }) => [start, end])).toEqual(
      whole.segments.map(({ start, end }) => [start, end]),
    );
  });
});

test('silence and noise alone have no text, and take no window', async () => {
  const quiet = noise(6, 0.002);
  const heard = await model.transcribe(quiet, { vad: true });
  expect(heard.text).toBe('');
  expect(heard.segments).toEqual([]);
  expect(heard.rejected).toEqual([]);
  expect(heard.duration).toBeCloseTo(6, 3);
  const streamed = await model.transcribe(inPieces(quiet, 4000), { vad: true });
  expect(streamed.text).toBe('');
});

test('speech without pauses is heard as without vad', async () => {
  const plain = await model.transcribe(sample);
  const skipped = await model.transcribe(sample, { vad: true });
  expect(skipped.text).toBe(plain.text);
});

async function* endless(): AsyncGenerator<Float32Array> {
  for (;;) yield* inPieces(sample, 1600);
}

test('aborts, callbacks that throw and streams that fail end it with their error, twenty times', async () => {
  const boom = new Error('boom');
  for (const round of rounds(20)) {
    const controller = new AbortController();
    const { signal } = controller;
    const running = errorOf(model.transcribe(endless(), { vad: true, signal }));
    for (let turn = 0; turn < round; ++turn) await new Promise((done) => setImmediate(done));
    controller.abort();
    expect(await running).toBe(signal.reason);
  }
  const onProgress = (): never => {
    throw boom;
  };
  expect(await errorOf(model.transcribe(sample, { vad: true, onProgress }))).toBe(boom);
  async function* broken(): AsyncGenerator<Float32Array> {
    yield sample.subarray(0, 20000);
    await Promise.resolve();
    throw boom;
  }
  expect(await errorOf(model.transcribe(broken(), { vad: true }))).toMatchObject({
    code: 'source_failed',
  });
  expect(wordsOf(await model.transcribe(sample))).toHaveLength(9);
});

test('a sample that is no sound is refused by its place, as without vad, wherever it lies', async () => {
  for (const [at, value] of [NaN, Infinity, Math.fround(-1e30), 5000].entries()) {
    const bad = recording.slice();
    // In the first frame, in silence, in speech, and in the rest behind the last frame.
    const index = [0, 20_000, gap.length + 5_000, bad.length - 1][at]!;
    bad[index] = value;
    const audios = [() => bad, () => inPieces(bad, 1600)];
    for (const vad of [true, false]) {
      for (const audio of audios) {
        const error = await errorOf(model.transcribe(audio(), { vad }));
        expect(error).toMatchObject({ code: 'invalid_argument', details: { reason: 'bad_audio' } });
        expect(String(error)).toContain(`holds ${value} at sample ${index} (`);
      }
    }
  }
});

test('bad options are refused by name', async () => {
  const refused = async (options: object, subject: string): Promise<void> => {
    expect(await errorOf(model.transcribe(sample, options))).toMatchObject({
      code: 'invalid_argument',
      details: { subject },
    });
  };
  await refused({ vad: 1 }, 'vad');
  await refused({ vad: { threshold: 2 } }, 'threshold');
  await refused({ vad: { pad: 2 } }, 'pad');
  await refused({ vad: true, compatibility: 'openai', clipTimestamps: [5, 4] }, 'clipTimestamps');
  expect(wordsOf(await model.transcribe(sample, { vad: false }))).toHaveLength(9);
});

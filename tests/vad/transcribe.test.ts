// transcribe({ vad }): no word is lost, times are those of the recording, and silence is not heard.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel, Segment, Transcript } from '../../web/src/node.js';
import { node } from '../../web/src/node_platform.js';
import type { Platform } from '../../web/src/platform/platform.js';
import type { HeardAudio } from '../../web/src/platform/speech.js';
import { KeptDetector } from '../../web/tools/vad/kept_detector.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  modelPath,
  sampleAudio,
  samplePath,
  sampleText,
} from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';
import { joined } from '../../web/src/api/joined.js';
import { AudioFeed } from '../../web/src/audio/audio_feed.js';
import { chunksOf } from '../../web/src/audio/audio_stream.js';
import { rounds, turns } from '../support/turns.js';

const rate = 16000;

const sample = sampleAudio();
let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let model: WhisperModel;
beforeAll(async () => {
  susurrus = await builtPackage({ hasDetector: true });
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
    const options = { timestamps: 'word', encoderContext: 'full' } as const;
    for (const audio of [() => rec, () => inPieces(rec, 1000)]) {
      const expected = await model.transcribe(audio(), { ...options, vad: false });
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

describe('without the option', () => {
  /** Six seconds of sound that the model takes for digits, and nobody speaks. */
  const beeps = Float32Array.from(
    { length: 6 * rate },
    (_, i) => 0.1 * Math.sin(0.3 * i) * (Math.floor(i / 8000) % 2),
  );
  const around = joined([sample, beeps, sample], Float32Array);

  test('sound in which nobody speaks has no text and takes no window, recordings and streams', async () => {
    expect((await model.transcribe(beeps, { vad: false })).segments.length).toBeGreaterThan(0);
    for (const audio of [() => beeps, () => inPieces(beeps, 4000)]) {
      const heard = await model.transcribe(audio());
      expect([heard.text, heard.segments, heard.rejected]).toEqual(['', [], []]);
      expect(heard.duration).toBeCloseTo(6, 3);
    }
    expect(await model.transcribe(around)).toEqual(await model.transcribe(around, { vad: true }));
    expect(wordsOf(await model.transcribe(around))).toEqual(bothTexts);
  });

  test('it is kept with what is saved', async () => {
    const running = model.transcribe(around);
    await running;
    expect(running.save()?.settings).toMatchObject({ vad: true });
    const bare = model.transcribe(around, { vad: false });
    await bare;
    expect(bare.save()?.settings).not.toHaveProperty('vad');
  });

  test('the reference hears everything', async () => {
    const openai = { compatibility: 'openai' } as const;
    const heard = await model.transcribe(beeps, openai);
    expect(heard.segments.length).toBeGreaterThan(0);
    expect(heard).toEqual(await model.transcribe(beeps, { ...openai, vad: false }));
    expect((await model.transcribe(beeps, { ...openai, vad: true })).segments).toEqual([]);
  });

  test('and without the files of the detector: it goes on, says so once, and tries once for a model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-detector-'));
    const shipped = join(folder, 'models/vad.tsm');
    try {
      cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), {
        recursive: true,
        filter: (path) => !/demo|types|threads\.wasm|\.map$/.test(path.slice(projectRoot.length)),
      });
      mkdirSync(join(folder, 'models'));
      const entry = pathToFileURL(join(folder, 'dist/node.mjs')).href;
      const { loadModel } = (await import(entry)) as typeof susurrus;
      using bare = await loadModel(modelPath);
      expect(bare.info.warnings).toEqual([]);
      const expected = await model.transcribe(around, { vad: false, clipTimestamps: [1] });
      expect(await errorOf(bare.transcribe(beeps, { vad: true }))).toMatchObject({
        code: 'source_failed',
      });
      expect(await errorOf(bare.transcribe(beeps, { vad: {} }))).toMatchObject({
        code: 'source_failed',
      });
      expect(bare.info.warnings).toEqual([]);
      const running = bare.transcribe(around, { clipTimestamps: [1] });
      expect(await running).toEqual(expected);
      expect(running.save()?.settings).not.toHaveProperty('vad');
      expect(bare.info.warnings).toEqual([
        expect.stringMatching(/^The voice detector could not be loaded.*vad: false.*vad\.tsm/),
      ]);
      const live = bare.stream();
      await live.feed(sample);
      await live.close();
      writeFileSync(shipped, readFileSync(join(projectRoot, 'models/vad.tsm')));
      expect((await bare.transcribe(beeps)).segments.length).toBeGreaterThan(0);
      expect(bare.info.warnings).toHaveLength(1);
      expect((await bare.transcribe(beeps, { vad: true })).segments).toEqual([]);
      // Another model tries for itself.
      using other = await loadModel(modelPath);
      expect((await other.transcribe(beeps)).segments).toEqual([]);
      expect(other.info.warnings).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('how far the detector goes ahead of the model', () => {
  const pieceSeconds = 8.192;
  const seconds = 660;

  /** The detector's network, which hears speech everywhere. */
  function countingPlatform(): {
    platform: Platform;
    heard: () => number;
    hasRecording: () => boolean;
  } {
    let [heard, hasRecording] = [0, false];
    const call = (name: string, request: { samples: Float32Array }): Promise<unknown> => {
      if (name === 'beginSpeech') hasRecording = true;
      if (name === 'endSpeech') hasRecording = false;
      if (name !== 'hearSpeech') return Promise.resolve(1);
      if (!hasRecording) return Promise.reject(new Error('ended'));
      heard += request.samples.length / rate;
      return Promise.resolve(new Float32Array(Math.ceil(request.samples.length / 512)).fill(1));
    };
    const link = { call, close: () => undefined };
    const vadModel = pathToFileURL(join(projectRoot, 'models/vad.tsm'));
    const platform = { ...node, vadModel, openDetector: () => link as never };
    return { platform, heard: () => heard, hasRecording: () => hasRecording };
  }

  const long = new Float32Array(seconds * rate);
  const whole = { clips: undefined, mostHeldSeconds: Infinity };
  const sources: [string, () => HeardAudio][] = [
    ['a long recording', () => ({ samples: long, isOwn: true })],
    ['a stream of one chunk', () => ({ chunks: chunksOf(inPieces(long, long.length)) })],
    ['a stream of short ones', () => ({ chunks: chunksOf(inPieces(long, rate)) })],
  ];

  test.each(sources)('%s: at most a minute, and no further once it is left', async (_, audio) => {
    const { platform, heard } = countingPlatform();
    const skipper = await new KeptDetector(platform).openSkipper({}, undefined);
    const skipped = await skipper.skip(audio(), { ...whole, mostHeldSeconds: 600 });
    if (!('chunks' in skipped.audio)) throw new Error('It was expected to come in chunks.');
    const { chunks } = skipped.audio;
    expect(heard()).toBe(0);
    let given = 0;
    const next = async (): Promise<void> => {
      const { value } = (await chunks.next()) as { value: Float32Array };
      given += value.length / rate;
      await turns(40);
      expect(heard() - given).toBeLessThanOrEqual(60);
      expect(heard()).toBeGreaterThanOrEqual(given);
    };
    await next();
    await next();
    void chunks.return?.();
    const before = heard();
    await turns(40);
    expect(heard() - before).toBeLessThanOrEqual(pieceSeconds);
    skipper.close();
  });

  test('all of a recording where its loudness counts as a whole', async () => {
    const { platform, heard, hasRecording } = countingPlatform();
    const skipper = await new KeptDetector(platform).openSkipper({}, undefined);
    const skipped = await skipper.skip({ samples: long, isOwn: false }, whole);
    expect(heard()).toBeCloseTo(seconds, 3);
    await turns(1);
    expect(hasRecording()).toBe(false);
    expect('samples' in skipped.audio && skipped.audio.samples.length).toBe(long.length);
  });

  test('a recording is that of the call, whatever its owner does with it later', async () => {
    const { platform } = countingPlatform();
    const skipper = await new KeptDetector(platform).openSkipper({}, undefined);
    const own = new Float32Array(70 * rate).fill(0.25);
    const limits = { ...whole, mostHeldSeconds: 60 };
    const skipped = await skipper.skip({ samples: own, isOwn: false }, limits);
    own.fill(0);
    if (!('chunks' in skipped.audio)) throw new Error('It was expected to come in chunks.');
    const { value } = (await skipped.audio.chunks.next()) as { value: Float32Array };
    expect(value[0]).toBe(0.25);
    skipper.close();
  });
});

test('what is in sequence does not wait for the detector, and has the same text', async () => {
  const parts = Array.from({ length: 4 }, () => [sample, gap]).flat();
  const long = joined(parts, Float32Array);
  const options = { conditionOnPreviousText: true } as const;
  const remaining: number[] = [];
  const heard = await model.transcribe(long, {
    ...options,
    onProgress: ({ remainingSeconds }) => remaining.push(remainingSeconds ?? -1),
  });
  expect(Math.max(...remaining)).toBeGreaterThan(0);
  const lengths: unknown[] = [];
  const wav = readFileSync(samplePath);
  await model.transcribe(wav, { onProgress: (event) => lengths.push(event.total) });
  // From the file's size and its bytes a second, before the end.
  expect(lengths[0]).toBeCloseTo(sample.length / rate, 2);
  const streamed = await model.transcribe(inPieces(long, 30000), options);
  expect(heard).toEqual(streamed);
  expect(wordsOf(heard).length).toBeGreaterThan(20);
  const first = model.transcribe(long, options);
  for await (const segment of first) {
    expect(segment).toEqual(heard.segments[0]);
    break;
  }
  const saved = first.save();
  expect(saved?.sampleCount).toBe(long.length);
  expect((await model.transcribe(long, { from: saved! })).segments).toEqual(heard.segments);
  expect(await errorOf(model.transcribe(sample, { from: saved! }))).toMatchObject({
    code: 'invalid_argument',
  });
});

test.each([
  [
    'that comes in chunks',
    (left: Float32Array): HeardAudio => ({ chunks: chunksOf(inPieces(left, 700)) }),
  ],
  ['in one piece', (left: Float32Array): HeardAudio => ({ samples: left, isOwn: true })],
])(
  'the engine hears a recording for its loudness, then what is left of it %s',
  async (_, audio) => {
    const heard: number[] = [];
    const engine = {
      call: (name: string, { samples }: { samples: Float32Array }) => {
        expect(name).toBe('feedAudio');
        heard.push(...samples);
        return Promise.resolve();
      },
    };
    const own = Float32Array.from({ length: 4000 }, (_, i) => i / 4000);
    const left = own.slice(1000, 3000);
    const [whole, rest] = [[...own], [...left]];
    const skipped = { audio: audio(left), sampleCount: own.length, timeOf: Number, placed: Object };
    const open = (): never => {
      // Its owner may do so while the detector starts.
      own.fill(0);
      return Promise.resolve({
        skip: () => Promise.resolve(skipped),
        close: () => undefined,
      }) as never;
    };
    const limits = { clips: undefined, mostHeldSeconds: 60, open };
    const opened = async (isMeasured: boolean) => {
      const surroundings = { engine: engine as never, platform: node, holding: 'whole' } as const;
      const feed = new AudioFeed(own, surroundings, { ...limits, isMeasured });
      return [feed, await feed.open(new AbortController().signal, () => undefined)] as const;
    };
    const [feed, { samples, loudnessSamples, length }] = await opened(true);
    expect([samples, loudnessSamples, length]).toEqual([undefined, 4000, { sampleCount: 4000 }]);
    for (const count of [1500, 2500, 1999, 2]) await feed.give(count, 1);
    expect(heard).toEqual([...whole, ...rest]);
    feed.close();
    expect((await opened(false))[1].loudnessSamples).toBe(0);
  },
);

test('speech without pauses is heard as without vad', async () => {
  const plain = await model.transcribe(sample, { vad: false });
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
    // One is a stream; the other goes to the engine for its loudness first.
    const running = errorOf(model.transcribe(endless(), { vad: true, signal }));
    const loud = { vad: true, normalization: 'recording' } as const;
    const waiting = errorOf(model.transcribe(recording, { ...loud, signal }));
    for (let turn = 0; turn < round; ++turn) await new Promise((done) => setImmediate(done));
    controller.abort();
    expect([await running, await waiting]).toEqual([signal.reason, signal.reason]);
    const alone = new AbortController();
    const measured = errorOf(model.transcribe(recording, { ...loud, signal: alone.signal }));
    for (let turn = 0; turn < round; ++turn) await new Promise((done) => setImmediate(done));
    alone.abort();
    expect(await measured).toBe(alone.signal.reason);
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

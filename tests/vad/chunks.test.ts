// Recordings in chunks: where they are cut, that nothing is lost at it, and what goes wrong while they are pulled.
import { describe, expect, test } from '@jest/globals';
import { joined } from '../../web/src/api/joined.js';
import type { Segment } from '../../web/src/api/types.js';
import type { HeardAudio, SpeechChunk } from '../../web/src/platform/speech.js';
import { ChunkCutter } from '../../web/tools/vad/chunk_cutter.js';
import { DetectorSkipper } from '../../web/tools/vad/silence_skipping.js';
import { FrameReader } from '../../web/tools/vad/speech_network.js';
import { frameSamples, type SampleRange } from '../../web/tools/vad/speech_rules.js';
import { speechLimits, vadDefaults } from '../../web/tools/vad/vad_options.js';
import { collectGarbage } from '../support/collect_garbage.js';
import { turns } from '../support/turns.js';

const rate = 16000;
/** Half of the usual, so that the recordings are short. */
const most = 30 * rate;
const limits = speechLimits({}, vadDefaults.transcribe);

/** Each sample says where it is in the recording. */
const step = 2 ** -24;
const clock = Float32Array.from({ length: 150 * rate }, (_, i) => i * step);
const framesOf = (sampleCount: number): number => Math.ceil(sampleCount / frameSamples);

/** Numbers from 0 to below 1, the same for a seed. */
function drawn(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** All of the recording is heard, then kept. */
function cut(ranges: readonly SampleRange[], probabilities: readonly number[]): SpeechChunk[] {
  const cutter = new ChunkCutter(limits, most);
  for (const probability of probabilities) cutter.hear(probability);
  const chunks = ranges.flatMap((range) =>
    cutter.keep(range, [clock.subarray(range.start, range.end)]),
  );
  return [...chunks, ...cutter.finish()];
}

/** Speech, but for frames from `from` to before `to`. */
type Other = readonly [from: number, to: number, probability: number];
function said(sampleCount: number, others: readonly Other[] = []): number[] {
  const probabilities = new Array<number>(framesOf(sampleCount)).fill(0.9);
  for (const [from, to, probability] of others) probabilities.fill(probability, from, to);
  return probabilities;
}

const inSamples = (chunks: readonly SpeechChunk[]): [number, number][] =>
  chunks.map(({ start, end }) => [Math.round(start * rate), Math.round(end * rate)]);
const bitsOf = (samples: Float32Array): Buffer =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
const isSame = (one: Float32Array, other: Float32Array): boolean =>
  bitsOf(one).equals(bitsOf(other));

describe('a full chunk is cut', () => {
  /** A recording of 45 s without a break has two chunks: the frame that begins the second. */
  function cutFrame(...others: Other[]): number {
    const sampleCount = 45 * rate;
    const chunks = inSamples(cut([{ start: 0, end: sampleCount }], said(sampleCount, others)));
    expect(chunks).toHaveLength(2);
    expect(chunks).toEqual([
      [0, chunks[1]![0]],
      [chunks[0]![1], sampleCount],
    ]);
    return chunks[1]![0] / frameSamples;
  }

  test('amid its latest pause of half a second in the last 10 s', () => {
    expect(cutFrame([650, 700, 0], [720, 736, 0.3], [800, 815, 0])).toBe(728);
    // What is said with less certainty than speech begins with is no pause yet.
    expect(cutFrame([650, 666, 0], [720, 736, 0.35])).toBe(658);
  });

  test('amid its longest pause of a tenth of a second there, if none is so long', () => {
    expect(cutFrame([640, 648, 0], [700, 712, 0.2], [800, 812, 0.1], [850, 853, 0])).toBe(806);
    expect(cutFrame([640, 644, 0], [900, 903, 0])).toBe(642);
  });

  test('at the least probable frame of the last 5 s, if nobody pauses there', () => {
    expect(cutFrame([700, 703, 0], [800, 801, 0.5], [850, 851, 0.4], [900, 901, 0.6])).toBe(850);
    expect(cutFrame([850, 853, 0.1])).toBe(852);
    // The window ends within this one.
    expect(cutFrame()).toBe(937);
  });

  test('by what the chunk can hold: a pause counts as far as it is in the last 10 s', () => {
    expect(cutFrame([500, 650, 0])).toBe(637);
    expect(cutFrame([500, 625, 0], [800, 801, 0.5])).toBe(800);
    expect(cutFrame([925, 1000, 0])).toBe(931);
    expect(cutFrame([700, 710, 0], [935, 1000, 0])).toBe(705);
  });

  test('where silence was left out, as in a pause, whatever is beside it', () => {
    const end = 70 * rate;
    const cuts = (at: number, to: number, ...others: Other[]): [number, number][] => {
      const ranges = [
        { start: 0, end: at },
        { start: to, end },
      ];
      return inSamples(cut(ranges, said(end, others)));
    };
    const [at, to] = [25 * rate + 7, 40 * rate + 9];
    const apart = [
      [0, at],
      [to, end],
    ];
    expect(cuts(at, to)).toEqual(apart);
    expect(cuts(at, to, [690, 1350, 0])).toEqual(apart);
    expect(cuts(at, to, [650, 700, 0])).toEqual(apart);
    // A pause behind it is later.
    expect(cuts(at, to, [1360, 1380, 0])[0]).toEqual([0, 1370 * frameSamples]);
    // At the very end of a full chunk, too.
    expect(cuts(most, to)).toEqual([
      [0, most],
      [to, end],
    ]);
    expect(cuts(most + 1, to)[0]).toEqual([0, 937 * frameSamples]);
    expect(cuts(20 * rate, 45 * rate)[0]).toEqual([0, 20 * rate]);
    expect(cuts(20 * rate - 1, 45 * rate)[0]).not.toEqual([0, 20 * rate - 1]);
  });
});

test.each([
  ['nothing', [], []],
  ['a sample', [1], [[0, 1]]],
  ['30 s', [most], [[0, most]]],
  [
    'a sample more',
    [most + 1],
    [
      [0, 937 * frameSamples],
      [937 * frameSamples, most + 1],
    ],
  ],
  ['30 s in two ranges', [10 * rate, 20 * rate], [[0, most + 5 * rate]]],
])('%s', (_, lengths, expected) => {
  let start = 0;
  const ranges = lengths.map((length) => {
    const range = { start, end: start + length };
    start = range.end + 5 * rate;
    return range;
  });
  expect(inSamples(cut(ranges, said(start)))).toEqual(expected);
});

/** Speech and pauses of all lengths, and what of them is kept. */
function drawnRecording(random: () => number): {
  ranges: SampleRange[];
  probabilities: number[];
} {
  const count = Math.floor(150 * rate * random());
  const probabilities: number[] = [];
  const longestPause = 60 * random() ** 3;
  while (probabilities.length < framesOf(count)) {
    for (let left = 1 + 300 * random(); left > 0; --left) probabilities.push(0.36 + 0.6 * random());
    for (let left = longestPause * random(); left > 0; --left) probabilities.push(0.34 * random());
  }
  const ranges: SampleRange[] = [];
  for (let at = Math.floor(3 * rate * random()); at < count;) {
    const end = Math.min(count, at + 1 + Math.floor(60 * rate * random() ** 2));
    ranges.push({ start: at, end });
    at = end + 1 + Math.floor(5 * rate * random() ** 4);
  }
  return { ranges, probabilities: probabilities.slice(0, framesOf(count)) };
}

/** Hears and keeps as a detector does that is given pieces of any size. */
function cutInPieces(
  ranges: readonly SampleRange[],
  probabilities: readonly number[],
  random: () => number,
): SpeechChunk[] {
  const cutter = new ChunkCutter(limits, most);
  const chunks: SpeechChunk[] = [];
  let heard = 0;
  for (const { start, end } of ranges) {
    for (let at = start; at < end;) {
      const to = Math.min(end, at + 1 + Math.floor(20 * rate * random() ** 6));
      const ahead = framesOf(to) + Math.floor(200 * random());
      while (heard < Math.min(ahead, probabilities.length)) cutter.hear(probabilities[heard++]!);
      const middle = Math.floor(at + (to - at) * random());
      const parts = [clock.subarray(at, middle), clock.subarray(middle, to)];
      chunks.push(...cutter.keep({ start: at, end: to }, parts));
      at = to;
      if (random() < 0.5) cutter.forget(at);
    }
  }
  return [...chunks, ...cutter.finish()];
}

test('200 drawn recordings: nothing is lost or doubled, no chunk is too long, and pieces make no difference', () => {
  let [chunkCount, cutCount] = [0, 0];
  for (let seed = 0; seed < 200; ++seed) {
    const random = drawn(seed);
    const { ranges, probabilities } = drawnRecording(random);
    const chunks = cut(ranges, probabilities);
    chunkCount += chunks.length;
    const kept = joined(
      ranges.map(({ start, end }) => clock.subarray(start, end)),
      Float32Array,
    );
    const got = joined(
      chunks.map(({ samples }) => samples),
      Float32Array,
    );
    expect({ seed, isSame: isSame(got, kept) }).toEqual({ seed, isSame: true });
    const starts = new Set(ranges.map(({ start }) => start));
    for (const [index, chunk] of chunks.entries()) {
      const { samples } = chunk;
      expect(samples.length).toBeLessThanOrEqual(most);
      if (index < chunks.length - 1) expect(samples.length).toBeGreaterThanOrEqual(20 * rate);
      const first = samples[0]! / step;
      expect(inSamples([chunk])).toEqual([[first, samples.at(-1)! / step + 1]]);
      if (!starts.has(first)) {
        ++cutCount;
        expect(first % frameSamples).toBe(0);
      }
      for (let i = 0; i < 20; ++i) {
        const at = Math.floor(samples.length * random());
        // Away from where two ranges meet: there, a time is that of the end of the first one.
        if (at > 1 && samples[at]! - samples[at - 2]! < 3 * step) {
          expect(chunk.timeOf(at / rate)).toBeCloseTo(samples[at]! / step / rate, 9);
        }
      }
    }
    const again = cutInPieces(ranges, probabilities, random);
    expect(inSamples(again)).toEqual(inSamples(chunks));
    expect(again.every(({ samples }, i) => isSame(samples, chunks[i]!.samples))).toBe(true);
  }
  // There was something to see.
  expect(chunkCount).toBeGreaterThan(300);
  expect(cutCount).toBeGreaterThan(100);
});

test('a segment has the times of the recording, none of them behind the cut', () => {
  const ranges = [
    { start: 2 * rate, end: 12 * rate },
    { start: 20 * rate, end: 60 * rate },
  ];
  // The pause is cut at frame 1100, 35.2 s.
  const chunks = cut(ranges, said(60 * rate, [[1090, 1110, 0]]));
  const segment = {
    ...{ start: 9, end: 30, seek: 1200, text: ' one two' },
    words: [
      { word: ' one', start: 9, end: 9.5, probability: 1 },
      { word: ' two', start: 25, end: 30, probability: 1 },
    ],
  } as unknown as Segment;
  expect(inSamples(chunks)).toEqual([
    [2 * rate, 1100 * frameSamples],
    [1100 * frameSamples, 60 * rate],
  ]);
  const [first, last] = chunks;
  const cutAt = 1100 * 0.032;
  const placed = first!.placed(segment);
  expect([placed.start, placed.seek, placed.words![0]!.end]).toEqual([11, 2200, 11.5]);
  expect(placed.end).toBeCloseTo(cutAt, 9);
  expect(placed.words![1]!.end).toBeCloseTo(cutAt, 9);
  expect(first!.timeOf(29)).toBeCloseTo(cutAt, 9);
  // Behind the last one there is nothing.
  expect(last!.placed(segment).end).toBeCloseTo(cutAt + 30, 9);
});

/** A detector that hears what the test says, and what became of its recording. */
function scripted(probabilityOf: (frame: number) => number) {
  const script: { fail: Error | undefined; hold: Promise<void> | undefined } = {
    ...{ fail: undefined, hold: undefined },
  };
  const controller = new AbortController();
  const { signal } = controller;
  let [heard, frame, releases] = [0, 0, 0];
  const call = async (name: string, request: { samples: Float32Array }): Promise<unknown> => {
    if (name !== 'hearSpeech') return 1;
    await script.hold;
    signal.throwIfAborted();
    if (script.fail) throw script.fail;
    heard += request.samples.length;
    const count = framesOf(request.samples.length);
    return Float32Array.from({ length: count }, () => probabilityOf(frame++));
  };
  const network = {
    ...{ link: { call, close: () => undefined } as never },
    ...{ model: new Uint8Array(), isLost: false },
  };
  const frames = new FrameReader(network, signal);
  const release = (): void => {
    ++releases;
    frames.close();
  };
  const skipper = new DetectorSkipper({ network, frames, release }, limits, most);
  return { skipper, script, controller, heard: () => heard, releases: () => releases };
}

/** Sound that is pulled, and whether it was left. */
function source(
  pieces: Iterable<Float32Array>,
  then: () => Promise<never> | undefined = () => undefined,
) {
  const iterator = pieces[Symbol.iterator]();
  const watched = { leaves: 0, pulls: 0 };
  const chunks = {
    next(): Promise<IteratorResult<unknown>> {
      ++watched.pulls;
      const piece = iterator.next();
      return (piece.done && then()) || Promise.resolve(piece);
    },
    return: () => {
      ++watched.leaves;
    },
  };
  return { audio: { chunks }, watched };
}

function* inPieces(samples: Float32Array, size: number): Generator<Float32Array> {
  for (let at = 0; at < samples.length; at += size) yield samples.subarray(at, at + size);
}

test('the network gets frames that are its own, whatever the pieces, and the caller keeps them', async () => {
  const heard: Float32Array[] = [];
  const call = (name: string, request: { samples: Float32Array }): Promise<unknown> => {
    if (name !== 'hearSpeech') return Promise.resolve(1);
    // As a worker takes what is given away.
    const { buffer } = request.samples;
    heard.push(new Float32Array(structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })));
    return Promise.resolve(new Float32Array());
  };
  const link = { call, close: () => undefined } as never;
  const frames = new FrameReader({ link, model: new Uint8Array(), isLost: false }, undefined);
  const samples = Float32Array.from(
    { length: 700 * frameSamples + 77 },
    (_, i) => (i % 1009) / 1024,
  );
  let at = 0;
  for (const size of [0, 100, 411, 1, 5 * frameSamples, 300 * frameSamples + 3, samples.length]) {
    for await (const none of frames.push(samples.subarray(at, at + size)))
      expect(none).toHaveLength(0);
    at += size;
  }
  expect(heard.every(({ length }) => length > 0 && length % frameSamples === 0)).toBe(true);
  await frames.finish();
  expect(isSame(joined(heard, Float32Array), samples)).toBe(true);
  expect(samples).toHaveLength(700 * frameSamples + 77);
});

async function all(chunks: AsyncIterable<SpeechChunk>): Promise<SpeechChunk[]> {
  const got: SpeechChunk[] = [];
  for await (const chunk of chunks) got.push(chunk);
  return got;
}

const hanging = (): Promise<never> => new Promise<never>(() => undefined);
const whole = { clips: undefined };
const speech = (): number => 0.9;
const own = (samples: Float32Array): HeardAudio => ({ samples, isOwn: true });

describe('a recording that a detector hears', () => {
  test('its chunks are what remains without silence, however it comes, with clips as well', async () => {
    for (let seed = 0; seed < 6; ++seed) {
      const random = drawn(1000 + seed);
      const { probabilities } = drawnRecording(random);
      const recording = clock.subarray(0, Math.floor((100 + 40 * random()) * rate));
      const hear = (frame: number): number =>
        Math.floor(frame / 200) % 3 === 1 ? 0 : (probabilities[frame % 500] ?? 0.9);
      const clips = seed % 2 === 0 ? undefined : [3.3, 20.017, 21, 90, 97.5];
      const skipped = await scripted(hear).skipper.skip(own(recording), {
        clips,
        mostHeldSeconds: Infinity,
      });
      if (!('samples' in skipped.audio)) throw new Error('It was expected to be held.');
      expect(skipped.audio.samples.length).toBeLessThan(0.9 * recording.length);
      let before: [number, number][] | undefined;
      const audios = [
        own(recording),
        { samples: recording, isOwn: false },
        ...[700, 12345, 300_000].map((size) => source(inPieces(recording, size)).audio),
      ];
      for (const audio of audios) {
        const { skipper, releases } = scripted(hear);
        const chunked = skipper.chunks(audio, { clips });
        const chunks = await all(chunked.chunks);
        expect(chunks.length).toBeGreaterThan(2);
        const samples = joined(
          chunks.map((chunk) => chunk.samples),
          Float32Array,
        );
        expect(isSame(samples, skipped.audio.samples)).toBe(true);
        expect([chunked.sampleCount, releases()]).toEqual([recording.length, 1]);
        before ??= inSamples(chunks);
        expect(inSamples(chunks)).toEqual(before);
      }
    }
  });

  test('nobody speaks in it, or it is empty: there are no chunks', async () => {
    const { skipper, releases } = scripted(() => 0.1);
    const chunked = skipper.chunks(own(clock), whole);
    expect(await all(chunked.chunks)).toEqual([]);
    expect([chunked.sampleCount, releases()]).toEqual([clock.length, 1]);
    for (const audio of [own(new Float32Array()), source([]).audio]) {
      expect(await all(scripted(speech).skipper.chunks(audio, whole).chunks)).toEqual([]);
    }
  });

  test('its owner may change it as soon as the call returns', async () => {
    const samples = new Float32Array(40 * rate).fill(0.25);
    const { chunks } = scripted(speech).skipper.chunks({ samples, isOwn: false }, whole);
    samples.fill(0);
    for (const chunk of await all(chunks)) expect(new Set(chunk.samples)).toEqual(new Set([0.25]));
  });

  test('nothing is pulled before it is asked for, and then at most a minute ahead', async () => {
    const minutes = function* (): Generator<Float32Array> {
      for (let i = 0; i < 600; ++i) yield new Float32Array(rate);
    };
    for (const audio of [source(minutes()).audio, own(new Float32Array(600 * rate))]) {
      // A pause as early in a full chunk as one is looked for.
      const { skipper, heard } = scripted((frame) => (frame % 640 < 16 ? 0 : 0.9));
      const { chunks } = skipper.chunks(audio, whole);
      await turns(20);
      expect(heard()).toBe(0);
      for (let i = 0; i < 5; ++i) {
        const { value } = await chunks.next();
        await turns(40);
        expect(value!.samples.length).toBeLessThan(22 * rate);
        expect(heard() / rate - value!.end).toBeLessThanOrEqual(60);
        expect(heard() / rate).toBeGreaterThan(value!.end);
      }
      await chunks.return(undefined);
    }
  });

  test('none is held once it was read', async () => {
    const seconds = Array.from({ length: 600 }, () => new Float32Array(rate));
    const { chunks } = scripted(speech).skipper.chunks(source(seconds).audio, whole);
    const read: WeakRef<Float32Array>[] = [];
    while (read.length < 10) read.push(new WeakRef((await chunks.next()).value!.samples));
    const held = (): number => read.filter((samples) => samples.deref()).length;
    // The last ones may stay in the loops.
    for (let round = 0; round < 20 && held() > 3; ++round) {
      await turns(1);
      collectGarbage();
    }
    expect(held()).toBeLessThanOrEqual(3);
    await chunks.return(undefined);
  });

  test('several may ask for chunks at once', async () => {
    const { skipper } = scripted(speech);
    const { chunks } = skipper.chunks(source([clock]).audio, whole);
    const steps = await Promise.all(Array.from({ length: 8 }, () => chunks.next()));
    const got = steps.flatMap(({ value }) => value ?? []);
    expect(steps.map(({ done }) => done)).toEqual([0, 0, 0, 0, 0, 0, 1, 1].map(Boolean));
    expect(
      isSame(
        joined(
          got.map(({ samples }) => samples),
          Float32Array,
        ),
        clock,
      ),
    ).toBe(true);
  });
});

describe('chunks end', () => {
  test('when the loop is left', async () => {
    const { skipper, releases } = scripted(speech);
    const { audio, watched } = source(inPieces(clock, rate), hanging);
    const { chunks } = skipper.chunks(audio, whole);
    for await (const chunk of chunks) {
      expect(chunk.start).toBe(0);
      break;
    }
    const { pulls } = watched;
    await turns(20);
    // A piece that was asked for may still come.
    expect(watched.pulls - pulls).toBeLessThanOrEqual(1);
    expect([watched.leaves, releases()]).toEqual([1, 1]);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  test.each<[string, (detector: ReturnType<typeof scripted>) => HeardAudio, number]>([
    ['a source', () => source(inPieces(clock.subarray(0, 40 * rate), rate), hanging).audio, 1],
    [
      'a detector',
      ({ script }) => {
        script.hold = hanging();
        return source(inPieces(clock, rate)).audio;
      },
      0,
    ],
  ])('at once when they are left while %s hangs', async (_, audioOf, chunkCount) => {
    const detector = scripted(speech);
    const { chunks } = detector.skipper.chunks(audioOf(detector), whole);
    for (let i = 0; i < chunkCount; ++i) expect((await chunks.next()).done).toBe(false);
    const asked = [chunks.next(), chunks.next()];
    await turns(40);
    const over = { done: true, value: undefined };
    expect(await chunks.return(undefined)).toEqual(over);
    expect(await Promise.all(asked)).toEqual([over, over]);
    expect(await chunks.return(undefined)).toEqual(over);
    expect(detector.releases()).toBe(1);
  });

  test('before they begin', async () => {
    const { skipper, releases, heard } = scripted(speech);
    const { audio, watched } = source([clock]);
    const { chunks } = skipper.chunks(audio, whole);
    await chunks.return(undefined);
    expect(await all(chunks)).toEqual([]);
    expect([watched, releases(), heard()]).toEqual([{ leaves: 1, pulls: 0 }, 1, 0]);
  });

  test("with a source's error, once the chunks before it are read", async () => {
    const boom = new Error('boom');
    const { skipper, releases } = scripted(speech);
    const { audio } = source(inPieces(clock.subarray(0, 70 * rate), rate), () =>
      Promise.reject(boom),
    );
    const { chunks } = skipper.chunks(audio, whole);
    expect((await chunks.next()).done).toBe(false);
    expect((await chunks.next()).done).toBe(false);
    await expect(chunks.next()).rejects.toBe(boom);
    expect(releases()).toBe(1);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    await turns(5);
  });

  test("with a detector's error; the source is left", async () => {
    const boom = new Error('boom');
    const { skipper, script, releases } = scripted(speech);
    const { audio, watched } = source(inPieces(clock, rate));
    const { chunks } = skipper.chunks(audio, whole);
    await chunks.next();
    script.fail = boom;
    await expect(all(chunks)).rejects.toBe(boom);
    expect([watched.leaves, releases()]).toEqual([1, 1]);
    await turns(5);
  });

  test.each([0, 'enough', new Error('enough')])(
    'with an abort, whose reason is %p',
    async (reason) => {
      const { skipper, controller, releases } = scripted(speech);
      const { audio, watched } = source(inPieces(clock, rate));
      const { chunks } = skipper.chunks(audio, whole);
      await chunks.next();
      controller.abort(reason);
      controller.abort('twice');
      await expect(all(chunks)).rejects.toBe(reason);
      expect([watched.leaves, releases()]).toEqual([1, 1]);
    },
  );

  test('with an error of sound that is no sound', async () => {
    const bad = new Float32Array(40 * rate);
    bad[35 * rate] = NaN;
    const { chunks } = scripted(speech).skipper.chunks(own(bad), whole);
    await expect(all(chunks)).rejects.toMatchObject({ details: { reason: 'bad_audio' } });
  });
});

// susurrus/vad in Node: probabilities as onnxruntime has them, ranges, events, and what goes wrong.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { node } from '../../web/src/node_platform.js';
import { SpeechDetector } from '../../web/tools/vad/speech_detector.js';
import type { SpeechEvent } from '../../web/src/api/types.js';
import type * as VadEntry from '../../web/src/node_vad.js';
import { errorOf } from '../support/embedded_model.js';
import { turns } from '../support/turns.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';
import { rounds } from '../support/turns.js';

type Vad = typeof VadEntry;
const { probabilities: expected } = JSON.parse(
  readFileSync(join(projectRoot, 'tests/vad/expected/probabilities.json'), 'utf8'),
) as { probabilities: Readonly<Record<string, readonly number[]>> };

const samplesOf = (path: string): Float32Array => {
  const wav = new Uint8Array(readFileSync(path));
  const pcm = new Int16Array(wav.buffer.slice(44, wav.length - (wav.length % 2)));
  return Float32Array.from(pcm, (value) => value / 32768);
};
const own = (name: string): string => join(projectRoot, 'web/demo', name);
const sample = samplesOf(own('sample.wav'));
/** Two digits. */
const short = sample.subarray(0, 2 * 16000);

let vad: Vad;
let detector: VadEntry.SpeechDetector;
beforeAll(async () => {
  vad = (await import(pathToFileURL(join(projectRoot, 'dist/vad.node.mjs')).href)) as Vad;
  detector = await vad.loadSpeechDetector();
});
afterAll(() => {
  detector.dispose();
});

async function largestDifference(name: string, audio: Float32Array | string): Promise<number> {
  const got: number[] = [];
  await detector.detect(audio, { onProbability: (probability) => got.push(probability) });
  const wanted = expected[name] ?? [];
  expect(got).toHaveLength(wanted.length);
  return Math.max(...got.map((value, i) => Math.abs(value - (wanted[i] ?? NaN))));
}

async function* inPieces(samples: Float32Array, size: number): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += size) {
    await Promise.resolve();
    yield samples.subarray(at, at + size);
  }
}

const streamOf = (pieces: AsyncGenerator<Float32Array>): ReadableStream<Float32Array> =>
  new ReadableStream<Float32Array>({
    async pull(controller) {
      const step = await pieces.next();
      if (step.done) controller.close();
      else controller.enqueue(step.value);
    },
  });

async function eventsOf(
  events: AsyncIterable<SpeechEvent> | ReadableStream<SpeechEvent>,
): Promise<SpeechEvent[]> {
  const all: SpeechEvent[] = [];
  for await (const event of events as AsyncIterable<SpeechEvent>) all.push(event);
  return all;
}

describe("probabilities are within 1e-3 of onnxruntime's", () => {
  test.each(['sample.wav', 'sentences.wav'])('%s', async (name) => {
    expect(await largestDifference(name, own(name))).toBeLessThan(1e-3);
  });
});

const recordings = Object.keys(expected).filter((name) => !/^s(ample|entences)/.test(name));
describeWithShared(
  recordings.map((name) => `recordings/audio/${name}`),
  "probabilities of people's recordings are, too",
  () => {
    test.each(recordings)('%s', async (name) => {
      const samples = samplesOf(join(sharedFolder, 'recordings/audio', name));
      expect(await largestDifference(name, samples)).toBeLessThan(1e-3);
    });
  },
);

describe('a recording', () => {
  const between = 2 * 16000;
  const twice = new Float32Array(2 * short.length + between);
  twice.set(short);
  twice.set(short, short.length + between);

  test('has speech where somebody speaks', async () => {
    const ranges = await detector.detect(twice, { minSilenceDuration: 1.5 });
    expect(ranges).toHaveLength(2);
    const [first, second] = ranges;
    const length = short.length / 16000;
    expect(first?.start).toBeLessThan(1);
    expect(first?.end).toBeLessThan(length + 0.2);
    expect(second?.start).toBeGreaterThan(length + 1.9);
    // Heard from the beginning, or behind 2 s of silence.
    expect(Math.abs((second?.start ?? 0) - (first?.start ?? 0) - length - 2)).toBeLessThan(0.2);
    expect(await vad.detectSpeech(twice, { minSilenceDuration: 1.5 })).toEqual(ranges);
  });

  test('has none where nobody does', async () => {
    expect(await detector.detect(new Float32Array(50000))).toEqual([]);
    expect(await detector.detect(new Float32Array())).toEqual([]);
  });

  test('is the same in every form', async () => {
    const wanted = await detector.detect(short);
    expect(wanted.length).toBeGreaterThan(0);
    const integers = Int16Array.from(short, (value) => Math.round(value * 32768));
    // A WAV file of no more.
    const bytes = new Uint8Array(readFileSync(own('sample.wav'))).slice(0, 44 + 2 * short.length);
    new DataView(bytes.buffer).setUint32(40, 2 * short.length, true);
    const stereo = { samples: [short, short], sampleRate: 16000, channels: 2 };
    for (const audio of [integers, bytes, new Blob([bytes]), stereo]) {
      expect(await detector.detect(audio)).toEqual(wanted);
    }
    for (const size of [77, 512, 40000]) {
      expect(await detector.detect(inPieces(short, size))).toEqual(wanted);
    }
    for (const members of [{}, { isRecording: true }]) {
      const stream = { stream: inPieces(short, 999), sampleRate: 16000, ...members };
      expect(await detector.detect(stream)).toEqual(wanted);
    }
  });

  test('of another rate is converted', async () => {
    const slow = { samples: short, sampleRate: 8000 };
    expect((await detector.detect(slow)).length).toBeGreaterThan(0);
  });
});

describe('a stream', () => {
  test('has its ranges as starts and ends, also through a TransformStream', async () => {
    const ranges = await detector.detect(short);
    const wanted = ranges.flatMap(({ start, end }) => [
      { type: 'start', time: start },
      { type: 'end', time: end },
    ]);
    expect(await eventsOf(detector.events(inPieces(short, 1600)))).toEqual(wanted);
    const piped = streamOf(inPieces(short, 1600)).pipeThrough(detector.transform());
    expect(await eventsOf(piped)).toEqual(wanted);
  });

  test('was had by other names before 1.0, which say the new ones', () => {
    for (const [call, message] of [
      [() => detector.listen(), 'detector.listen() is detector.events() now.'],
      [() => detector.stream(), 'detector.stream() is detector.transform() now.'],
    ] as const) {
      expect(call).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
    }
  });

  test('tells a start before the speech is over, and is cancelled when its loop is left', async () => {
    let given = 0;
    let isCancelled = false;
    async function* counted(): AsyncGenerator<Float32Array> {
      try {
        for (;;) {
          await Promise.resolve();
          given += 1600;
          yield sample.subarray((given - 1600) % sample.length, given % sample.length || undefined);
        }
      } finally {
        isCancelled = true;
      }
    }
    for await (const event of detector.events(counted())) {
      expect(event.type).toBe('start');
      expect(given / 16000 - event.time).toBeLessThan(1);
      break;
    }
    expect(isCancelled).toBe(true);
  });

  test('that fails, and a callback that throws, end the work with their error', async () => {
    async function* broken(): AsyncGenerator<Float32Array> {
      yield sample.subarray(0, 5000);
      await Promise.resolve();
      throw new Error('unplugged');
    }
    expect(await errorOf(detector.detect(broken()))).toMatchObject({ code: 'source_failed' });
    const boom = new Error('boom');
    const onProbability = (): never => {
      throw boom;
    };
    expect(await errorOf(detector.detect(sample, { onProbability }))).toBe(boom);
    expect((await detector.detect(sample)).length).toBeGreaterThan(0);
  });
});

test('a signal stops it at any step, twenty times, and another at the same time is no different', async () => {
  const wanted = await detector.detect(short);
  for (const round of rounds(20)) {
    const controller = new AbortController();
    let count = 0;
    const onProbability = (): void => {
      if (++count === round * 3) controller.abort(new Error('enough'));
    };
    if (round === 0) controller.abort(new Error('enough'));
    const { signal } = controller;
    const stopped = errorOf(detector.detect(inPieces(short, 1600), { signal, onProbability }));
    const [error, ...others] = await Promise.all([stopped, detector.detect(short)]);
    expect(error).toBe(signal.reason);
    for (const ranges of others) expect(ranges).toEqual(wanted);
  }
});

async function* endless(): AsyncGenerator<Float32Array> {
  for (;;) yield* inPieces(short, 1600);
}

test('a detector that is disposed of refuses work, and stops what is under way', async () => {
  for (const round of rounds(20)) {
    const own = await vad.loadSpeechDetector({ variant: 'simd' });
    const running = errorOf(own.detect(endless()));
    for (let turn = 0; turn < round; ++turn) await new Promise((done) => setImmediate(done));
    own.dispose();
    expect(await running).toMatchObject({ code: 'wrong_state' });
    expect(await errorOf(own.detect(short))).toMatchObject({ code: 'wrong_state' });
  }
});

test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s disposes of a detector', async (end) => {
  const own = await vad.loadSpeechDetector({ variant: 'simd' });
  await own[Symbol[end]]();
  expect(await errorOf(own.detect(short))).toMatchObject({ code: 'wrong_state' });
});

test('a sample that is no sound is refused by its place, and the detector hears on', async () => {
  const wanted = await detector.detect(short);
  for (const value of [NaN, -Infinity, Math.fround(1e30), 5000]) {
    const bad = short.slice();
    const index = bad.length - 1;
    bad[index] = value;
    const piped = async (): Promise<unknown> => {
      const source = new ReadableStream<Float32Array>({
        start: (controller) => controller.enqueue(bad),
      });
      return eventsOf(source.pipeThrough(detector.transform()));
    };
    for (const hear of [
      () => detector.detect(bad),
      () => detector.detect(inPieces(bad, 1600)),
      () => vad.detectSpeech(bad),
      piped,
    ]) {
      const error = await errorOf(hear());
      expect(error).toMatchObject({ code: 'invalid_argument', details: { reason: 'bad_audio' } });
      expect(String(error)).toContain(`holds ${value} at sample ${index} (`);
    }
  }
  expect(await detector.detect(short)).toEqual(wanted);
});

describe('what a recording has in the network goes with it', () => {
  /** Speech everywhere; a recording is begun when `gate` opens. */
  function fakeNetwork(gate: Promise<void> = Promise.resolve()) {
    const calls: string[] = [];
    const live = new Set<number>();
    let begun = 0;
    const link = {
      async call(name: string, request: { id: number; samples: Float32Array }) {
        calls.push(name);
        if (name === 'endSpeech') live.delete(request.id);
        if (name === 'beginSpeech') {
          await gate;
          live.add(++begun);
          return begun;
        }
        return name === 'hearSpeech'
          ? new Float32Array(request.samples.length / 512).fill(1)
          : undefined;
      },
      close: () => undefined,
    };
    const own = new SpeechDetector(
      { link: link as never, model: new Uint8Array(), isLost: false },
      node,
    );
    return { detector: own, calls, live, begun: () => begun };
  }

  test('null as options is refused before anything is loaded', async () => {
    const details = expect.objectContaining({ subject: 'options', got: 'null' });
    const refused = { code: 'invalid_argument', details };
    const nothing = null as never;
    const { detector } = fakeNetwork();
    expect(await errorOf(detector.detect(short, nothing))).toMatchObject(refused);
    for (const call of [() => detector.events(short, nothing), () => detector.transform(nothing)]) {
      expect(call).toThrow(expect.objectContaining(refused));
    }
  });

  test.each<[string, (controller: AbortController, out: ReadableStream) => unknown]>([
    ['its pipe is aborted', (controller) => controller.abort('enough')],
    ['its events are cancelled', (_, out) => out.cancel('enough')],
  ])('when %s, also behind a reader that has gone', async (_, stop) => {
    for (const isRead of [true, false]) {
      const network = fakeNetwork();
      for (let round = 0; round < 3; ++round) {
        const controller = new AbortController();
        const { signal } = controller;
        const out = streamOf(endless()).pipeThrough(network.detector.transform(), { signal });
        const reader = out.getReader();
        expect(await reader.read()).toMatchObject({ value: { type: 'start' } });
        if (isRead) void reader.read().catch(() => undefined);
        reader.releaseLock();
        expect(network.live.size).toBe(1);
        void Promise.resolve(stop(controller, out)).catch(() => undefined);
        while (network.live.size > 0) await turns(1);
      }
      expect(network.begun()).toBe(3);
    }
  });

  test('when a sample is no sound, and when it is over', async () => {
    const network = fakeNetwork();
    const own = network.detector;
    const bad = short.slice(0, 5120);
    bad[5119] = NaN;
    const stream = own.transform();
    const reading = errorOf(eventsOf(stream.readable));
    const writer = stream.writable.getWriter();
    void writer.write(short.slice(0, 5120)).catch(() => undefined);
    const refused = errorOf(writer.write(bad));
    void writer.closed.catch(() => undefined);
    for (const error of [await refused, await reading]) {
      expect(error).toMatchObject({ code: 'invalid_argument' });
    }
    while (network.live.size > 0) await turns(1);
    await eventsOf(streamOf(inPieces(short, 1600)).pipeThrough(own.transform()));
    expect(network.live.size).toBe(0);
    expect(own.transform()).toBeInstanceOf(TransformStream);
  });

  test.each<[string, (stream: TransformStream, writer: WritableStreamDefaultWriter) => unknown]>([
    ['aborted', (_, writer) => writer.abort('enough')],
    ['cancelled', ({ readable }) => readable.cancel('enough')],
  ])('when it is %s while it is being begun', async (_, stop) => {
    let open!: () => void;
    const gate = new Promise<void>((done) => (open = done));
    const network = fakeNetwork(gate);
    const stream = network.detector.transform();
    const writer = stream.writable.getWriter();
    void writer.closed.catch(() => undefined);
    const reader = stream.readable.getReader();
    void reader.read().catch(() => undefined);
    void writer.write(short).catch(() => undefined);
    while (!network.calls.includes('beginSpeech')) await turns(1);
    reader.releaseLock();
    void Promise.resolve(stop(stream, writer)).catch(() => undefined);
    await turns(3);
    open();
    while (!network.calls.includes('endSpeech')) await turns(1);
    expect(network.live.size).toBe(0);
  });
});

test('bad options and audio are refused by name', async () => {
  expect(await errorOf(detector.detect(sample, { threshold: 2 }))).toMatchObject({
    code: 'invalid_argument',
    details: { subject: 'threshold' },
  });
  expect(await errorOf(vad.detectSpeech(5 as never))).toMatchObject({
    details: { subject: 'audio' },
  });
  expect(await errorOf(vad.loadSpeechDetector({ threads: 2 } as never))).toMatchObject({
    details: { subject: 'threads' },
  });
});

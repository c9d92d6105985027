// The second hearing of a stream, with an engine that does what the test says.
import { describe, expect, test } from '@jest/globals';
import type { LiveText, ModelInfo, Segment } from '../../web/src/api/types.js';
import type { Platform } from '../../web/src/platform/platform.js';
import type { EngineEvent, EngineLink, Settings } from '../../web/src/protocol/engine.js';
import type { SilenceSkipper, SpeechChunk } from '../../web/src/platform/speech.js';
import { SecondHearing } from '../../web/src/model/second_hearing.js';

const second = 16000;
/** Samples that say which second of the stream they are of. */
const soundFrom = (from: number, seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * second }, (_, i) => (from + Math.floor(i / second)) / 1000);

interface Run {
  readonly number: number;
  /** The first and the last second of a chunk, in the stream. */
  readonly seconds: readonly number[];
  readonly settings: Settings;
  readonly signal: AbortSignal | undefined;
  readonly emit: (event: EngineEvent) => void;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

class ScriptedEngine {
  readonly runs: Run[] = [];
  /** Samples that a run got, by its number. */
  readonly fed = new Map<number, number[]>();
  #wake: (() => void)[] = [];

  call(
    name: string,
    request: {
      run: number;
      settings: Settings;
      samples: Float32Array | undefined;
      beside?: boolean;
    },
    options?: { signal?: AbortSignal; onEvent?: (event: EngineEvent) => void },
  ): Promise<unknown> {
    const { run: number, settings, samples } = request;
    const seconds = [samples?.[0], samples?.at(-1)].map((each = 0) => Math.round(1000 * each));
    if (name === 'feedAudio') {
      this.fed.set(number, [...(this.fed.get(number) ?? []), ...(request.samples ?? [])]);
      this.#tell();
      return Promise.resolve(undefined);
    }
    if (name !== 'transcribe' || !request.beside) throw new Error(`Nobody asks for ${name}.`);
    return new Promise((done, fail) => {
      const signal = options?.signal;
      signal?.addEventListener('abort', () => fail(signal.reason as Error));
      const emit = options!.onEvent!;
      const end = (): void => done({ language: 'de' });
      this.runs.push({ number, seconds, settings, signal, emit, end, fail });
      this.#tell();
    });
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((wake) => this.#wake.push(wake));
  }
  async run(index: number): Promise<Run> {
    await this.until(() => this.runs.length > index);
    return this.runs[index]!;
  }
  /** Takes so many seconds of sound; fewer at the end. Returns the first and the last second of the stream that came. */
  async take(run: Run, seconds: number): Promise<(number | undefined)[]> {
    const before = this.fed.get(run.number)?.length ?? -1;
    run.emit({ type: 'audioWanted', sampleCount: seconds * second });
    await this.until(() => (this.fed.get(run.number)?.length ?? -1) > before);
    const got = this.fed.get(run.number)!.slice(Math.max(0, before));
    return [got[0], got.at(-1)].map((each) => each && Math.round(1000 * each));
  }
}

const text = (id: number, start: number, said: string): LiveText => ({
  ...{ type: 'final', id, time: start + 1, start, end: start + 1, text: ` ${said}` },
  words: [{ word: ` ${said}`, start, end: start + 1, probability: 1 }],
  ...{ committed: 1, tokens: [] },
});
const window = (start: number, said: string, end = start + 1): EngineEvent => {
  const { words, text: whole } = text(0, start, said);
  const segment = { start, end, text: whole, words, language: 'de' } as unknown as Segment;
  return { type: 'window', segments: [segment], rejected: [], state: undefined, languages: {} };
};

/** Cuts the stream after each four seconds that come; times of a chunk are ten seconds late in it. */
function cutter() {
  const state = { closings: 0, opened: 0 };
  const skipper = {
    chunks: ({ chunks: sound }: { chunks: { next(): Promise<IteratorResult<Float32Array>> } }) => {
      async function* cut(): AsyncGenerator<SpeechChunk> {
        let held: number[] = [];
        let start = 0;
        const chunk = (): SpeechChunk => {
          const samples = Float32Array.from(held.splice(0, 4 * second));
          const from = start;
          start += samples.length / second;
          const timeOf = (time: number): number => time - 10 + from;
          const placed = (one: Segment): Segment => ({
            ...one,
            start: timeOf(one.start),
            end: timeOf(one.end),
            words: one.words!.map((word) => ({
              ...word,
              start: timeOf(word.start),
              end: timeOf(word.end),
            })),
          });
          return { samples, start: from, end: start, timeOf, placed };
        };
        try {
          for (let step = await sound.next(); !step.done; step = await sound.next()) {
            held = [...held, ...step.value];
            while (held.length >= 4 * second) yield chunk();
          }
          if (held.length > 0) yield chunk();
        } finally {
          ++state.closings;
        }
      }
      return { sampleCount: 0, chunks: cut() };
    },
  } as unknown as SilenceSkipper;
  const open = (): Promise<SilenceSkipper> => {
    ++state.opened;
    return Promise.resolve(skipper);
  };
  return { state, open };
}

function begun(settings: Settings = {}, openSkipper?: () => Promise<SilenceSkipper>) {
  const engine = new ScriptedEngine();
  const told: [readonly number[], readonly string[], number][] = [];
  const warnings: string[] = [];
  let count = 6;
  const hearing = new SecondHearing(
    {
      engine: engine as unknown as EngineLink,
      platform: {} as Platform,
      settings,
      info: { languages: ['de', 'en'] } as unknown as ModelInfo,
      openSkipper,
      nextRun: () => ++count,
      warn: (warning) => warnings.push(warning),
    },
    (revisions) => {
      for (const { replaces, segments, start } of revisions) {
        told.push([replaces, segments.map((segment) => segment.text), start]);
      }
    },
  );
  /** So many seconds of speech or silence. */
  let at = 0;
  const hear = (speech: number, silence = 0): void => {
    hearing.hear(soundFrom(at, speech + silence));
    at += speech + silence;
    if (speech > 0) hearing.speech(speech * second);
    if (silence > 0) hearing.silence(silence * second);
  };
  return { engine, told, warnings, hearing, hear };
}

test('a stretch is heard as a recording, from before its first speech to five seconds of silence', async () => {
  const { engine, told, warnings, hearing, hear } = begun({ language: 'en', timestamps: 'word' });
  hear(0, 10);
  hear(2);
  hearing.said(text(0, 10, 'won'));
  hear(3, 4);
  const run = await engine.run(0);
  expect([run.number, run.settings]).toMatchObject([7, { language: 'en', timestamps: 'word' }]);
  // Three seconds of the silence before come with it.
  expect(await engine.take(run, 5)).toEqual([7, 11]);
  // A second of silence more ends it.
  hear(0, 1);
  expect(await engine.take(run, 30)).toEqual([12, 19]);
  // Times begin with the stretch.
  run.emit(window(3, 'one'));
  expect(told).toEqual([]);
  run.end();
  await hearing.finish();
  expect(told).toEqual([[[0], [' one'], 10]]);
  hear(0, 20);
  hear(1);
  const next = await engine.run(1);
  expect([next.number, await engine.take(next, 2)]).toEqual([8, [37, 38]]);
  void hearing.finish();
  await engine.take(next, 30);
  next.end();
  await hearing.finish();
  expect([told.length, warnings]).toEqual([1, []]);
});

test('stretches come one after the other; pieces may hold several', async () => {
  const { engine, hearing } = begun();
  hearing.hear(soundFrom(0, 30));
  for (let i = 0; i < 2; ++i) {
    hearing.speech(2 * second);
    hearing.silence(8 * second);
  }
  const first = await engine.run(0);
  expect(await engine.take(first, 30)).toEqual([0, 9]);
  expect(engine.runs).toHaveLength(1);
  first.end();
  const next = await engine.run(1);
  expect(await engine.take(next, 30)).toEqual([10, 19]);
  next.end();
  await hearing.finish();
});

test.each<Settings>([{ language: 'auto' }, {}])(
  'a language that was detected stays, once there is enough text (%j)',
  async (settings) => {
    const { engine, hearing, hear } = begun(settings);
    for (const [index, seconds] of [14, 2, 1].entries()) {
      hear(2, 6);
      const run = await engine.run(index);
      expect(run.settings.language).toBe(index < 2 ? settings.language : 'de');
      run.emit(window(0, 'eins', seconds));
      run.end();
    }
    await hearing.finish();
  },
);

test('sound that nobody heard belongs to no stretch', async () => {
  const { engine, hearing, hear } = begun();
  hear(2);
  hearing.skip(7 * second);
  const run = await engine.run(0);
  expect(await engine.take(run, 30)).toEqual([0, 1]);
  run.end();
  hearing.hear(soundFrom(9, 4));
  hearing.speech(4 * second);
  const next = await engine.run(1);
  expect(await engine.take(next, 4)).toEqual([9, 12]);
  await hearing.close();
});

test('a device that falls behind gives up what waits, and hears again what comes later', async () => {
  const { engine, told, hearing, hear } = begun();
  hearing.said(text(0, 0, 'won'));
  hear(40);
  const run = await engine.run(0);
  hear(21);
  expect(run.signal?.aborted).toBe(true);
  hearing.said(text(1, 60, 'too'));
  hear(2);
  hearing.said(text(2, 62, 'free'));
  const next = await engine.run(1);
  expect(await engine.take(next, 2)).toEqual([61, 62]);
  next.emit(window(1, 'three'));
  void hearing.finish();
  next.end();
  await hearing.finish();
  expect(told).toEqual([[[2], [' three'], 62]]);
});

test('a failure is told once, and text stays from then on', async () => {
  const { engine, told, warnings, hearing, hear } = begun();
  hearing.said(text(0, 0, 'won'));
  hear(2);
  (await engine.run(0)).fail(new Error('There is no memory left.'));
  await engine.until(() => engine.runs.length === 1);
  hear(0, 6);
  await hearing.finish();
  hearing.said(text(1, 9, 'too'));
  hear(2, 6);
  await hearing.finish();
  expect(engine.runs).toHaveLength(1);
  expect([told, warnings]).toEqual([
    [],
    ["A stream's text stays as it was heard at once. There is no memory left."],
  ]);
});

test('closed, it stops at once and tells nothing more', async () => {
  const { engine, told, warnings, hearing, hear } = begun();
  hearing.said(text(0, 0, 'won'));
  hear(2, 6);
  hear(2);
  const run = await engine.run(0);
  await Promise.all([hearing.close(), hearing.close(), hearing.finish()]);
  expect(run.signal?.aborted).toBe(true);
  run.emit(window(0, 'one'));
  hear(3, 6);
  await hearing.finish();
  expect([told, warnings, engine.runs.length]).toEqual([[], [], 1]);
});

describe('with the voice detector, which cuts', () => {
  test('chunks are those of the whole recording, one after the other, whatever silence is in it', async () => {
    const { state, open } = cutter();
    const { engine, told, warnings, hearing, hear } = begun({ timestamps: 'word' }, open);
    hear(0, 3);
    hear(2, 9);
    hearing.said(text(0, 3, 'won'));
    const first = await engine.run(0);
    expect(first.seconds).toEqual([0, 3]);
    // As transcribe() would ask; the language of the first chunk is that of all.
    expect(first.settings).toEqual({ timestamps: 'word', normalization: 'window', seed: 0 });
    first.emit(window(13, 'one'));
    expect(engine.runs).toHaveLength(1);
    first.end();
    const next = await engine.run(1);
    expect(next.seconds).toEqual([4, 7]);
    expect(next.settings).toEqual({
      ...{ timestamps: 'word', normalization: 'window', seed: 4 * second, language: 'de' },
    });
    next.end();
    (await engine.run(2)).end();
    void hearing.finish();
    const last = await engine.run(3);
    expect(last.seconds).toEqual([12, 13]);
    last.end();
    await hearing.finish();
    expect(told).toEqual([[[0], [' one'], 3]]);
    expect([state, warnings]).toEqual([{ closings: 1, opened: 1 }, []]);
  });

  test('behind sound that nobody heard another recording begins, at its place', async () => {
    const { open } = cutter();
    const { engine, told, hearing } = begun({}, open);
    hearing.hear(soundFrom(0, 2));
    hearing.speech(2 * second);
    hearing.skip(7 * second);
    const first = await engine.run(0);
    expect(first.seconds).toEqual([0, 1]);
    first.end();
    hearing.hear(soundFrom(9, 4));
    hearing.said(text(0, 9, 'won'));
    hearing.speech(4 * second);
    const next = await engine.run(1);
    expect(next.seconds).toEqual([9, 12]);
    next.emit(window(10, 'one'));
    next.end();
    await hearing.finish();
    expect(told).toEqual([[[0], [' one'], 9]]);
  });

  test('a device that falls behind leaves the recording, and begins another one later', async () => {
    const { state, open } = cutter();
    const { engine, hearing, hear } = begun({}, open);
    hear(10);
    const run = await engine.run(0);
    hear(61);
    expect(run.signal?.aborted).toBe(true);
    hear(0, 1);
    hear(3);
    const next = await engine.run(1);
    expect(next.seconds).toEqual([71, 74]);
    await hearing.close();
    expect(state).toEqual({ closings: 2, opened: 2 });
  });

  test('a detector that cannot be had is a warning, and the text stays', async () => {
    const { engine, told, warnings, hearing, hear } = begun({}, () =>
      Promise.reject(new Error('There is no detector.')),
    );
    hearing.said(text(0, 0, 'won'));
    hear(5);
    await hearing.finish();
    expect([engine.runs, told, warnings]).toEqual([
      [],
      [],
      ["A stream's text stays as it was heard at once. There is no detector."],
    ]);
  });

  test('closed while the detector is opened, it gives back what comes then', async () => {
    const { state, open } = cutter();
    let opens!: () => void;
    const opening = new Promise<void>((done) => (opens = done));
    let closings = 0;
    const { engine, warnings, hearing, hear } = begun({}, async () => {
      await opening;
      return Object.assign(await open(), { close: () => ++closings });
    });
    hear(5);
    await Promise.resolve();
    const closed = hearing.close();
    opens();
    await closed;
    expect([engine.runs.length, warnings, state.opened]).toEqual([0, [], 1]);
    expect(state.closings + closings).toBe(1);
  });
});

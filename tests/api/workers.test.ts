// transcribe({ workers }): chunks of a recording by several engines, which do as these tests say.
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type {
  SavedTranscription,
  TranscribeOptions,
  Transcript,
  WhisperModel,
} from '../../web/src/api/types.js';
import { EnginePool } from '../../web/src/model/engine_pool.js';
import { node } from '../../web/src/node_platform.js';
import type { Device } from '../../web/src/platform/workers.js';
import { errorOf } from '../support/embedded_model.js';
import {
  engineFailed,
  recordingOf,
  scriptedModel,
  type Script,
  type ScriptedEngine,
} from '../support/scripted_engines.js';
import { turns } from '../support/turns.js';

const chunkCount = 9;
const recording = recordingOf(chunkCount);
const allChunks = Array.from({ length: chunkCount }, (_, i) => i);

const models: WhisperModel[] = [];
afterEach(() => models.splice(0).forEach((model) => model.dispose()));
function load(script?: Script): ReturnType<typeof scriptedModel> {
  const scripted = scriptedModel(script);
  models.push(scripted.model);
  return scripted;
}

/** What everybody must come to, whatever happens on the way. */
async function expected(options: TranscribeOptions = {}, script?: Script): Promise<Transcript> {
  return load({ ...script, turnsOf: () => 1 }).model.transcribe(recording, {
    ...options,
    workers: 2,
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

/** Numbers from 0 to below 1, the same for a seed. */
function drawn(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const never = new Promise<never>(() => undefined);

const kept = (saved: SavedTranscription | undefined): SavedTranscription =>
  JSON.parse(JSON.stringify(saved)) as SavedTranscription;

describe('what is heard', () => {
  test('is all of it, in order, at its times, with consecutive ids', async () => {
    const { model, counts } = load();
    const work = model.transcribe(recording, { workers: 3 });
    const looped: string[] = [];
    for await (const { text } of work) looped.push(text);
    const { segments, rejected, text, duration, language, languageProbability } = await work;
    const texts = allChunks.flatMap((i) => [` ${i}.0`, ` ${i}.1`]);
    expect(looped).toEqual(texts);
    expect(text).toBe(texts.join(''));
    expect(segments.map(({ id }) => id)).toEqual(texts.map((_, i) => i));
    expect(segments.map(({ start }) => start)).toEqual(texts.map((_, i) => i));
    expect(segments.map(({ seek }) => seek)).toEqual(texts.map((_, i) => 200 * (i >> 1)));
    expect(rejected.map(({ id }) => id)).toEqual(allChunks);
    expect([duration, language, languageProbability]).toEqual([2 * chunkCount, 'en', 0.5]);
    expect(counts.left).toBe(1);
  });

  test('is the same for any number of engines, which all have their part', async () => {
    const first = await expected();
    for (const workers of [2, 3, 4, 16]) {
      const { model, engines } = load({ turnsOf: (chunk) => 1 + ((7 * chunk) % 5) });
      expect(await model.transcribe(recording, { workers })).toEqual(first);
      expect(engines.length).toBeLessThanOrEqual(workers);
      if (workers < 5) {
        expect(engines).toHaveLength(workers);
        for (const { heard } of engines) expect(heard).not.toHaveLength(0);
      }
      const chunks = engines.flatMap(({ heard }) => heard.map(({ chunk }) => chunk));
      expect(chunks.sort((a, b) => a - b)).toEqual(allChunks);
    }
  });

  test('waits for what comes before it', async () => {
    let isHeld = true;
    const { model, engines } = load({ turnsOf: (chunk) => (chunk === 1 && isHeld ? Infinity : 2) });
    const controller = new AbortController();
    const work = model.transcribe(recording, { workers: 2, signal: controller.signal });
    await until(() => engines.flatMap(({ heard }) => heard).some(({ chunk }) => chunk === 4));
    await turns(50);
    expect(work.soFar.segments.map(({ text }) => text)).toEqual([' 0.0', ' 0.1']);
    const provisional = work.provisional;
    expect(provisional.slice(0, 3)).toMatchObject([
      { id: 2, text: ' 2.0', start: 4 },
      { id: 3, text: ' 2.1', start: 5 },
      { id: 4, text: ' 3.0', start: 6 },
    ]);
    // Not without end.
    const chunks = engines.flatMap(({ heard }) => heard.map(({ chunk }) => chunk));
    expect(Math.max(...chunks)).toBeLessThan(chunkCount - 1);
    isHeld = false;
    const { underWay } = engines.find((engine) => engine.underWay.has(1))!;
    expect([...underWay]).toEqual([1]);
    controller.abort();
    expect(await errorOf(work)).toBe(controller.signal.reason);
    expect(work.provisional).toEqual([]);
  });

  test('stands once as provisional, also what an engine heard of a chunk before it died', async () => {
    let isHeld = true;
    const { model, engines } = load({
      isHeld: (chunk, engine) => isHeld && (chunk === 0 || (chunk === 2 && engine > 0)),
    });
    const work = model.transcribe(recording, { workers: 2 });
    const texts = (): string[] => work.provisional.map(({ text }) => text);
    await until(() => texts().length === 3);
    expect(texts()).toEqual([' 1.0', ' 1.1', ' 2.0']);
    engines[1]!.die();
    await turns(20);
    isHeld = false;
    await until(() => engines[0]!.underWay.has(2));
    while (engines[0]!.underWay.has(2)) {
      const all = [...work.soFar.segments, ...work.provisional].map(({ text }) => text);
      expect(all).toEqual([...new Set(all)]);
      await turns(1);
    }
    expect(await work).toEqual(await expected());
    expect(work.provisional).toEqual([]);
  });

  test('is counted on, as provisional, from what was saved, and in the script that was asked for', async () => {
    const asked = { script: 'simplified', workers: 2 } as const;
    const script = { textOf: () => '漢字', languageOf: () => 'zh' };
    const first = load(script).model.transcribe(recording, asked);
    for await (const { id } of first) if (id > 4) break;
    await errorOf(first);
    const from = kept(first.save());
    const count = from.segments.length;
    let isHeld = true;
    const { model } = load({ ...script, isHeld: (chunk) => isHeld && 2 * chunk === count });
    const work = model.transcribe(recording, { from, workers: 2 });
    await until(() => work.provisional.length > 1);
    const told = work.soFar.segments.length;
    expect(work.provisional.slice(0, 2)).toMatchObject([
      { id: told, text: '汉字' },
      { id: told + 1, text: '汉字' },
    ]);
    isHeld = false;
    const { segments } = await work;
    expect(segments).toHaveLength(2 * chunkCount);
  });

  test('is no more sound than a chunk for each engine, and one', async () => {
    for (const workers of [2, 4]) {
      const { model, counts } = load({ turnsOf: () => Infinity });
      const controller = new AbortController();
      const work = model.transcribe(recording, { workers, signal: controller.signal });
      await turns(100);
      expect(counts.pulled).toBe(workers + 1);
      controller.abort('enough');
      expect(await errorOf(work)).toBe('enough');
    }
  });

  test('draws from a seed of its own for each place', async () => {
    const seedsOf = async (seed?: number): Promise<number[]> => {
      const { segments } = await load().model.transcribe(recording, {
        workers: 2,
        ...(seed !== undefined && { seed }),
      });
      return segments.filter((_, i) => i % 2 === 0).map(({ tokens }) => tokens[0]!);
    };
    expect(await seedsOf()).toEqual(allChunks.map((i) => 32000 * i));
    expect(await seedsOf(7)).toEqual(allChunks.map((i) => 32000 * i + 7));
    const last = Number.MAX_SAFE_INTEGER;
    expect((await seedsOf(last)).slice(0, 3)).toEqual([last, 31999, 63999]);
  });

  test('has settings that depend on nothing before it', async () => {
    const { model, engines } = load();
    const hotwords = [{ text: 'Ada' }];
    const options = { initialPrompt: 'Ada', hotwords, language: 'de', workers: 2 } as const;
    await model.transcribe(recording, options);
    for (const { settings } of engines.flatMap(({ heard }) => heard)) {
      expect(settings).toMatchObject({
        ...{ normalization: 'window' },
        ...{ initialPrompt: 'Ada', hotwords, language: 'de' },
      });
      for (const name of ['vad', 'workers', 'clipTimestamps', 'script']) {
        expect(settings).not.toHaveProperty(name);
      }
    }
  });

  test('of English that fits a window is encoded as far as it has sound, unless asked otherwise', async () => {
    const contextsOf = async (options: TranscribeOptions): Promise<unknown[]> => {
      const { model, engines } = load({ languageOf: () => 'en' });
      await model.transcribe(recordingOf(3), { ...options, workers: 1 });
      return engines.flatMap(({ heard }) => heard.map(({ settings }) => settings.encoderContext));
    };
    expect(await contextsOf({ language: 'en' })).toEqual(['auto', 'auto', 'auto']);
    // Known from the second on.
    expect(await contextsOf({})).toEqual([undefined, 'auto', 'auto']);
    expect(await contextsOf({ language: 'de' })).toEqual([undefined, undefined, undefined]);
    expect(await contextsOf({ language: 'en', encoderContext: 'full' })).toEqual(
      Array.from({ length: 3 }, () => 'full'),
    );
  });

  test('a recording of one chunk loads no other engine; one without speech has its language', async () => {
    const { model, counts } = load({ languageOf: () => 'fr' });
    expect((await model.transcribe(recordingOf(1), { workers: 4 })).segments).toHaveLength(2);
    const silent = await model.transcribe(new Float32Array(), { workers: 4 });
    expect(silent).toMatchObject({ language: 'fr', duration: 0 });
    expect(counts.loads).toBe(0);
  });

  test('engines stay with the model, and are closed with it', async () => {
    const { model, engines, counts } = load();
    for (let i = 0; i < 3; ++i) await model.transcribe(recording, { workers: 3 });
    expect([engines.length, counts.loads, counts.left]).toEqual([3, 2, 3]);
    expect(engines.some(({ isClosed }) => isClosed)).toBe(false);
    model.dispose();
    expect(engines.every(({ isClosed }) => isClosed)).toBe(true);
  });

  test('the first engine waits for no other', async () => {
    let arrive = (): void => undefined;
    const loading = new Promise<void>((done) => (arrive = done));
    const { model, engines } = load({ loads: () => loading });
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(await expected());
    expect(engines).toHaveLength(1);
    // It is there for the next one.
    arrive();
    await until(() => engines.length === 2);
    await turns(2);
    await model.transcribe(recording, { workers: 2 });
    expect(engines[1]!.heard).not.toHaveLength(0);
  });
});

describe('languages', () => {
  const languageOf = (chunk: number): string => (chunk === 0 ? 'de' : 'fr');

  test('the first chunk’s is told to the others, which wait for it', async () => {
    let isFirstDone = false;
    const { model, engines } = load({
      languageOf,
      refuses: ({ chunk, settings }) => {
        if (chunk > 0 && (!isFirstDone || settings.language !== 'de')) return new Error('early');
        return undefined;
      },
      turnsOf: (chunk) => (chunk === 0 ? 30 : 2),
    });
    const work = model.transcribe(recording, { workers: 3 });
    void (async () => {
      for await (const each of work) isFirstDone ||= each.id === 0;
    })().catch(() => undefined);
    await until(() => engines.length > 1);
    isFirstDone = true;
    const { language, languageProbability, languages, segments } = await work;
    expect([language, languageProbability, languages]).toEqual(['de', 0.5, undefined]);
    expect(new Set(segments.map((segment) => segment.language))).toEqual(new Set(['de']));
  });

  test('per window each has its own', async () => {
    const { model } = load({ languageOf });
    const heard = await model.transcribe(recording, { workers: 2, language: 'per-window' });
    expect(heard).toMatchObject({
      ...{ language: 'fr', languageProbability: 0.5 + (chunkCount - 1) / 100 },
      languages: [
        { language: 'de', seconds: 1 },
        { language: 'fr', seconds: chunkCount - 1 },
      ],
    });
  });

  test('a named one is not told how probable it is', async () => {
    const heard = await load({ languageOf }).model.transcribe(recording, {
      ...{ workers: 2, language: 'en' },
    });
    expect(heard.language).toBe('en');
    expect(heard).not.toHaveProperty('languageProbability');
  });
});

describe('an engine that fails', () => {
  test.each([0, 1, 5])('at chunk %d: another hears that', async (at) => {
    const first = await expected();
    const { model, engines } = load({
      refuses: ({ chunk }, engine) => (engine > 0 && chunk >= at ? engineFailed() : undefined),
    });
    expect(await model.transcribe(recording, { workers: 3 })).toEqual(first);
    expect(engines.slice(1).every(({ isClosed }) => isClosed)).toBe(true);
    expect(model.info.warnings).toEqual([expect.stringContaining('trap')]);
    // It is not tried again.
    const before = engines.length;
    expect(await model.transcribe(recording, { workers: 3 })).toEqual(first);
    expect(engines).toHaveLength(before);
    expect(model.info.warnings).toHaveLength(1);
  });

  test('at a chunk that comes first again', async () => {
    const { model, engines } = load({
      refuses: (_, engine) => (engine > 0 ? engineFailed() : undefined),
      turnsOf: (chunk) => (chunk === 0 ? 30 : 2),
      loads: () => turns(10),
    });
    await model.transcribe(recording, { workers: 2, language: 'en' });
    expect(engines[1]!.heard.map(({ chunk }) => chunk)).toEqual([1]);
    expect(engines[0]!.heard.map(({ chunk }) => chunk)).toEqual(allChunks);
  });

  test('amid a chunk, with a part of its text', async () => {
    const { model, engines } = load({ turnsOf: (_, engine) => (engine > 0 ? 40 : 4) });
    const work = model.transcribe(recording, { workers: 2 });
    await until(() => (engines[1]?.underWay.size ?? 0) > 0);
    await turns(25);
    engines[1]!.die();
    expect(await work).toEqual(await expected());
  });

  test('while it has nothing to do', async () => {
    const { model, engines } = load();
    await model.transcribe(recording, { workers: 2 });
    engines[1]!.die();
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(await expected());
    expect(engines[1]!.isClosed).toBe(true);
  });

  test('while it is loaded', async () => {
    const { model, engines } = load({ loads: () => Promise.reject(new Error('no memory')) });
    expect(await model.transcribe(recording, { workers: 4 })).toEqual(await expected());
    expect(engines).toHaveLength(1);
    expect(model.info.warnings).toEqual([expect.stringContaining('no memory')]);
  });

  test('does not take all others with it', async () => {
    const { model, engines } = load({
      refuses: ({ chunk }, engine) => (engine > 0 && chunk === 3 ? engineFailed() : undefined),
      turnsOf: (_, engine) => (engine === 0 ? 6 : 2),
    });
    expect(await model.transcribe(recording, { workers: 4 })).toEqual(await expected());
    const tries = engines.flatMap(({ heard }) => heard.filter(({ chunk }) => chunk === 3));
    expect(tries.length).toBeLessThanOrEqual(3);
    expect(engines.some(({ isClosed }, i) => i > 0 && !isClosed)).toBe(true);
  });

  test('the model’s own: the call fails, and the others stop', async () => {
    const { model, engines, counts } = load({
      refuses: ({ chunk }, engine) => (engine === 0 && chunk > 2 ? engineFailed() : undefined),
      turnsOf: (_, engine) => (engine > 0 ? Infinity : 2),
    });
    expect(await errorOf(model.transcribe(recording, { workers: 2 }))).toMatchObject({
      code: 'internal_error',
    });
    await turns(3);
    expect(engines.every(({ underWay }) => underWay.size === 0)).toBe(true);
    expect(counts.left).toBe(1);
  });

  test('about the request: the call fails at once', async () => {
    const { model, engines } = load({
      refuses: ({ chunk }, engine) =>
        engine > 0 && chunk > 0
          ? Object.assign(engineFailed(), { code: 'invalid_argument' })
          : undefined,
    });
    expect(await errorOf(model.transcribe(recording, { workers: 2 }))).toMatchObject({
      code: 'invalid_argument',
    });
    expect(engines[1]!.isClosed).toBe(false);
    expect(model.info.warnings).toEqual([]);
  });
});

test('200 rounds of deaths, aborts and closings lose nothing, double nothing and leave nothing', async () => {
  const first = await expected();
  const ends = { heard: 0, aborted: 0, disposed: 0 };
  for (let round = 0; round < 200; ++round) {
    const random = drawn(round);
    const workers = 2 + Math.floor(3 * random());
    const { model, engines, opened, counts } = load({
      turnsOf: () => 1 + Math.floor(12 * random()),
      loads: async () => {
        await turns(Math.floor(20 * random()));
        if (random() < 0.2) throw engineFailed();
      },
    });
    const controller = new AbortController();
    const work = model.transcribe(recording, { workers, signal: controller.signal });
    const outcome = work.then(
      (heard) => heard,
      (error: unknown) => error,
    );
    const state = { isOver: false, isDisposed: false };
    void outcome.then(() => (state.isOver = true));
    const [stops, isAbort, when] = [random() < 0.4, random() < 0.7, Math.floor(60 * random())];
    for (let turn = 0; !state.isOver; ++turn) {
      await turns(1);
      const further = engines[1 + Math.floor((engines.length - 1) * random())];
      if (random() < 0.1) further?.die();
      if (!stops || turn !== when) continue;
      if (isAbort) controller.abort(round);
      else {
        state.isDisposed = true;
        model.dispose();
      }
    }
    const heard = await outcome;
    // What stops it may come too late.
    const isWhole = heard instanceof Object && 'segments' in heard;
    if (isWhole) expect(heard).toEqual(first);
    else if (state.isDisposed) expect(heard).toMatchObject({ code: 'aborted' });
    else expect([heard, controller.signal.aborted]).toEqual([round, true]);
    ++ends[isWhole ? 'heard' : state.isDisposed ? 'disposed' : 'aborted'];
    const { segments } = work.soFar;
    expect(segments).toEqual(first.segments.slice(0, segments.length));
    await until(() => engines.every(({ underWay }) => underWay.size === 0));
    expect(counts.left).toBe(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    // What was saved goes on with any number.
    const from = work.save();
    if (from) {
      const goesOn = state.isDisposed ? load().model : model;
      const options = { from: kept(from), workers: 1 + (round % 3) };
      expect(await goesOn.transcribe(recording, options)).toEqual(first);
    }
    for (const { closings } of opened) expect(closings).toBeLessThanOrEqual(1);
    if (!state.isDisposed) model.dispose();
    // Copies that are not wanted any more end once they are there.
    await turns(30);
    for (const { closings } of [engines[0]!, ...opened]) expect(closings).toBe(1);
  }
  for (const count of Object.values(ends)) expect(count).toBeGreaterThan(10);
});

test('the first window decides on the language: others do not wait for the rest of its chunk', async () => {
  const { model, engines } = load({ turnsOf: (chunk) => (chunk === 0 ? 400 : 3) });
  const work = model.transcribe(recording, { workers: 2 });
  await until(() => engines.length === 2 && engines[1]!.heard.length > 0);
  expect([...engines[0]!.underWay]).toEqual([0]);
  expect(engines[1]!.heard[0]!.settings.language).toBe('en');
  expect(await work).toEqual(await expected());
});

describe('control', () => {
  test.each(['why', 0, undefined])('an abort with %p stops all engines', async (reason) => {
    const { model, engines, counts } = load({ turnsOf: () => Infinity });
    const controller = new AbortController();
    const options = { workers: 3, language: 'en', signal: controller.signal };
    const work = model.transcribe(recording, options);
    await until(() => engines.filter(({ underWay }) => underWay.size > 0).length === 3);
    controller.abort(reason);
    expect(await errorOf(work)).toBe(controller.signal.reason);
    await turns(2);
    expect(engines.every(({ underWay }) => underWay.size === 0)).toBe(true);
    expect(counts.left).toBe(1);
    expect(work.save()).toBeUndefined();
  });

  test('an abort before it, in the queue and while an engine is loaded', async () => {
    const { model, counts } = load({ loads: (_, signal) => untilAborted(signal) });
    expect(
      await errorOf(model.transcribe(recording, { workers: 2, signal: AbortSignal.abort('no') })),
    ).toBe('no');
    expect(counts.pulled).toBe(0);
    const controller = new AbortController();
    const work = model.transcribe(recording, {
      ...{ workers: 2, signal: controller.signal },
      onProgress: () => controller.abort('now'),
    });
    expect(await errorOf(work)).toBe('now');
    expect((await model.transcribe(recordingOf(1), { workers: 2 })).segments).toHaveLength(2);
  });

  test('a pause holds all of it; another call waits', async () => {
    const { model, engines, counts } = load();
    const work = model.transcribe(recording, { workers: 3 });
    const iterator = work[Symbol.asyncIterator]();
    await iterator.next();
    work.pause();
    await turns(30);
    const { length } = work.soFar.segments;
    const before = [counts.pulled, ...engines.map(({ heard }) => heard.length)];
    let isOtherDone = false;
    const other = model.transcribe(recordingOf(1), { workers: 2 }).then(() => {
      isOtherDone = true;
    });
    await turns(100);
    expect([counts.pulled, ...engines.map(({ heard }) => heard.length)]).toEqual(before);
    expect([work.soFar.segments.length, work.paused, isOtherDone]).toEqual([length, true, false]);
    work.resume();
    expect(await work).toEqual(await expected());
    await other;
  });

  test('a pause stops what is under way', async () => {
    const { model, engines } = load({ turnsOf: () => 20 });
    const work = model.transcribe(recording, { workers: 2, language: 'en' });
    await until(() => engines.length === 2 && engines.every(({ underWay }) => underWay.size > 0));
    work.pause();
    await turns(100);
    expect(engines.map(({ underWay }) => [...underWay])).toEqual([[0], [1]]);
    const { segments } = work.soFar;
    await turns(100);
    expect(work.soFar.segments).toEqual(segments);
    expect(segments.length).toBeLessThan(2);
    work.resume();
    expect(await work).toEqual(await expected({ language: 'en' }));
  });

  test('an abort while a chunk does not come', async () => {
    for (const missing of [0, 3]) {
      const { model, counts } = load({ cuts: (chunk) => (chunk === missing ? never : undefined) });
      const controller = new AbortController();
      const work = model.transcribe(recording, { workers: 2, signal: controller.signal });
      await turns(100);
      expect(counts.pulled).toBe(missing);
      controller.abort('enough');
      expect(await errorOf(work)).toBe('enough');
      await turns(1);
      expect(counts.left).toBe(1);
    }
  });

  test('a pause before its turn and an abort of what is paused', async () => {
    const { model, engines, counts } = load();
    const work = model.transcribe(recording, { workers: 2 });
    work.pause();
    await turns(50);
    expect([engines[0]!.heard.length, counts.pulled]).toEqual([0, 0]);
    work.resume();
    expect(await work).toEqual(await expected());
    const controller = new AbortController();
    const stopped = model.transcribe(recording, { workers: 2, signal: controller.signal });
    stopped.pause();
    await turns(10);
    controller.abort('enough');
    expect(await errorOf(stopped)).toBe('enough');
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(await expected());
  });

  test('who leaves the loop stops it, and what came is there', async () => {
    const { model, engines } = load();
    const work = model.transcribe(recording, { workers: 2 });
    for await (const { id } of work) if (id === 2) break;
    expect(await errorOf(work)).toMatchObject({ code: 'aborted' });
    const { segments, duration, language } = work.soFar;
    expect(segments.length).toBeGreaterThanOrEqual(3);
    expect(duration).toBeGreaterThanOrEqual(segments.at(-1)!.end);
    expect(language).toBe('en');
    await turns(2);
    expect(engines.every(({ underWay }) => underWay.size === 0)).toBe(true);
  });

  test('progress never goes back and ends with 1', async () => {
    const { model } = load({ turnsOf: (chunk) => 1 + ((5 * chunk) % 7) });
    const loaded: number[] = [];
    const overall: number[] = [];
    await model.transcribe(recording, {
      workers: 3,
      onProgress: (event) => {
        expect([event.phase, event.total]).toEqual(['transcribe', 2 * chunkCount]);
        loaded.push(event.loaded);
        overall.push(event.overall);
      },
    });
    expect(loaded).toEqual([0, ...allChunks.flatMap((i) => [0.5, 1.5, 2].map((at) => 2 * i + at))]);
    expect([...overall].sort((a, b) => a - b)).toEqual(overall);
    expect(overall.at(-1)).toBe(1);
  });

  test('what a callback throws stops it', async () => {
    for (const at of [0, 6, 2 * chunkCount]) {
      const { model, engines } = load();
      const thrown = new Error('from the callback');
      const work = model.transcribe(recording, {
        workers: 2,
        onProgress: ({ loaded }) => {
          if (loaded === at) throw thrown;
        },
      });
      expect(await errorOf(work)).toBe(thrown);
      await turns(2);
      expect(engines.every(({ underWay }) => underWay.size === 0)).toBe(true);
      expect((await model.transcribe(recordingOf(1), { workers: 2 })).text).toBe(' 0.0 0.1');
    }
  });

  test('disposal ends it', async () => {
    for (const wait of [0, 1, 10, 30]) {
      const { model, engines, counts } = load({ turnsOf: () => 20 });
      const work = model.transcribe(recording, { workers: 3 });
      const failing = errorOf(work);
      await turns(wait);
      model.dispose();
      expect(await failing).toMatchObject({ code: 'aborted' });
      await turns(3);
      expect(engines.every(({ underWay, isClosed }) => underWay.size === 0 && isClosed)).toBe(true);
      expect(counts.left).toBeLessThanOrEqual(1);
    }
  });
});

test('disposal while only a further engine works', async () => {
  const { model, engines } = load({
    turnsOf: (chunk) => [20, 1000, 1][chunk]!,
  });
  const work = model.transcribe(recordingOf(3), { workers: 2, language: 'en' });
  const failing = errorOf(work);
  await until(() => engines[1]?.underWay.has(1) === true);
  await until(() => engines[0]!.underWay.size === 0 && engines[0]!.heard.length === 2);
  model.dispose();
  expect(await failing).toMatchObject({ code: 'aborted' });
});

test('what was lost may come again when the model has slept', async () => {
  const warnings: string[] = [];
  const pool = new EnginePool((warning) => warnings.push(warning));
  const { signal } = new AbortController();
  let loads = 0;
  pool.copyWith(() => {
    ++loads;
    return loads === 1 ? Promise.reject(engineFailed()) : Promise.resolve(closable);
  });
  let closed = 0;
  const closable = { call: () => Promise.reject(engineFailed()), close: () => (closed += 1) };
  expect(await pool.take(1, 1, signal)).toBeUndefined();
  expect(await pool.take(1, 1, signal)).toBeUndefined();
  expect([loads, warnings.length]).toEqual([1, 1]);
  pool.rest();
  expect(await pool.take(1, 1, signal)).toBe(closable);
  expect(await pool.take(1, 1, signal)).toBeUndefined();
  pool.giveBack(closable);
  expect(await pool.take(1, 1, signal)).toBe(closable);
  pool.rest();
  expect([loads, closed]).toEqual([2, 1]);
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, failed) =>
    signal.addEventListener('abort', () => failed(signal.reason as Error)),
  );

describe('saved', () => {
  const languageOf = (chunk: number): string => ['de', 'fr', 'fr'][chunk % 3]!;

  test.each(['auto', 'per-window', 'fr'])('it goes on, with language %s', async (language) => {
    const first = await expected({ language }, { languageOf });
    for (const [at, workers] of [1, 2, 3, undefined].entries()) {
      const { model, engines } = load({ languageOf });
      const work = model.transcribe(recording, { workers: 2, language });
      for await (const { id } of work) if (id > 4 * at) break;
      await errorOf(work);
      const from = kept(work.save());
      expect(from.chunks?.count).toBe(from.segments.length / 2);
      expect(from.state).toEqual({});
      const next = load({ languageOf });
      const rest = next.model.transcribe(recording, {
        from,
        ...(workers !== undefined && { workers }),
      });
      const added: number[] = [];
      for await (const { id } of rest) added.push(id);
      expect(added[0]).toBe(from.segments.length);
      expect(await rest).toEqual(first);
      const again = next.engines.flatMap(({ heard }) => heard.map(({ chunk }) => chunk));
      expect(Math.min(...again)).toBe(from.chunks?.count);
      expect(next.engines.length).toBeLessThanOrEqual(workers ?? 2);
      expect(engines.length).toBeLessThanOrEqual(2);
    }
  });

  test('at its end, there is nothing left to do', async () => {
    const { model, engines } = load();
    const work = model.transcribe(recording, { workers: 2 });
    const whole = await work;
    const count = engines.flatMap(({ heard }) => heard).length;
    expect(await model.transcribe(recording, { from: kept(work.save()) })).toEqual(whole);
    expect(engines.flatMap(({ heard }) => heard)).toHaveLength(count);
  });

  test('what is wrong in it is refused by name', async () => {
    const { model } = load();
    const work = model.transcribe(recording, { workers: 2 });
    await work;
    const from = kept(work.save());
    const share = { language: 'en', seconds: 0 };
    const wrong: readonly (readonly [string, unknown])[] = [
      ['count', null],
      ['count', { ...from.chunks, count: -1 }],
      ['count', { ...from.chunks, count: 1.5 }],
      ['languages', { count: 1 }],
      ['languages', { count: 1, languages: [{ ...share, language: 1 }] }],
      ['languages', { count: 1, languages: [{ ...share, seconds: -1 }] }],
      ['languages', { count: 1, languages: [{ ...share, probability: 2 }] }],
    ];
    for (const [name, chunks] of wrong) {
      const bad = { ...from, chunks } as SavedTranscription;
      expect(await errorOf(model.transcribe(recording, { from: bad }))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: `from.chunks.${name}` },
      });
    }
    const other = model.transcribe(recordingOf(2), { from });
    expect(await errorOf(other)).toMatchObject({ details: { subject: 'audio' } });
  });
});

describe('how many engines there are', () => {
  const much = 2 ** 40;
  const cases: readonly (readonly [Device, number])[] = [
    [{ processors: 1, memoryBytes: much }, 1],
    [{ processors: 2, memoryBytes: much }, 2],
    [{ processors: 3, memoryBytes: much }, 3],
    [{ processors: 8, memoryBytes: much }, 7],
    [{ processors: 64, memoryBytes: much }, 8],
    // A quarter of 1 GB holds five of 50 MB.
    [{ processors: 8, memoryBytes: 1e9 }, 5],
    [{ processors: 8, memoryBytes: 1e6 }, 1],
    [{ processors: 64, memoryBytes: 1.4e9 }, 7],
    [{ processors: 64 }, 8],
    [{ processors: 8, memoryBytes: much, whyOne: 'why' }, 1],
  ];
  test.each(cases)('%j: %d', async (device, count) => {
    const { model, counts } = load({ device });
    expect(model.info.workers).toBe(count);
    if (device.whyOne) expect(model.info.workersReason).toBe('why');
    const options = count > 1 ? {} : { workers: 'auto' as const };
    await model.transcribe(recordingOf(40), { language: 'en', ...options });
    expect(counts.loads).toBeLessThan(count);
    expect(counts.loads > 0).toBe(count > 1);
  });

  test('where a runtime does not let its memory be known, there is nothing known of it', () => {
    expect(node.device().memoryBytes).toBeGreaterThan(0);
    const refusing = jest.spyOn(process, 'constrainedMemory').mockImplementation(() => {
      throw new Error('Requires sys access');
    });
    try {
      expect(node.device()).toMatchObject({ memoryBytes: undefined, whyOne: undefined });
    } finally {
      refusing.mockRestore();
    }
  });

  test.each([
    [2, 2, 1],
    [4, 4, 1],
    [8, 8, 2],
    [16, 8, 4],
    [64, 8, 8],
  ])('%d processors, %d threads: %d', (processors, threads, count) => {
    const device = { processors, memoryBytes: much };
    expect(load({ device, choice: { threads } }).model.info.workers).toBe(count);
  });

  test('no more than chunks; those that are ready are there at once', async () => {
    for (const workers of [undefined, 'auto', 3] as const) {
      const { model, counts } = load({ device: { processors: 8 } });
      const options = { ...(workers && { workers }), language: 'en' } as const;
      await model.transcribe(recordingOf(1), options);
      expect(counts.loads).toBe(0);
      await model.transcribe(recordingOf(2), options);
      expect(counts.loads).toBe(1);
    }
    const { model, counts, engines } = load({ choice: { workers: 3 } });
    await model.makeReady(undefined);
    expect([model.info.workers, counts.loads]).toEqual([3, 2]);
    const { chunkCount } = await model.transcribe(recordingOf(3), { language: 'en' });
    expect(engines.map(({ heard }) => heard.length)).toEqual([1, 1, 1]);
    expect([chunkCount, counts.loads]).toEqual([3, 2]);
  });

  test('those that cannot be made ready are missing; an abort ends that', async () => {
    const failing = load({
      choice: { workers: 3 },
      loads: (engine) => (engine === 1 ? Promise.reject(engineFailed()) : Promise.resolve()),
    });
    await failing.model.makeReady(undefined);
    expect(failing.model.info.warnings).toHaveLength(1);
    await failing.model.transcribe(recording);
    expect(failing.engines).toHaveLength(2);
    const { model, engines } = load({
      choice: { workers: 3 },
      loads: (_, signal) => untilAborted(signal),
    });
    const controller = new AbortController();
    const making = errorOf(model.makeReady(controller.signal));
    await turns(5);
    controller.abort('why');
    expect(await making).toBe('why');
    expect(engines).toHaveLength(1);
  });

  test('they share the threads; the first chunk has all of them', async () => {
    const device = { processors: 8, memoryBytes: much };
    const { model, engines } = load({ device, choice: { threads: 6 } });
    await model.transcribe(recording, { workers: 3, language: 'en' });
    expect(engines.map(({ ownThreads }) => ownThreads)).toEqual([undefined, 2, 2]);
    expect(engines[0]!.heard[0]!.threads).toBe(6);
    for (const { heard } of engines.slice(1)) {
      for (const { threads } of heard) expect([2, 4, 6]).toContain(threads);
    }
    const alone = load({ device });
    await alone.model.transcribe(recording, { workers: 3 });
    for (const { heard } of alone.engines) for (const { threads } of heard) expect(threads).toBe(1);
  });

  test('those that nobody uses end after a minute, unless they were asked for in advance', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    try {
      for (const isKept of [false, true]) {
        const { model, engines } = load(isKept ? { choice: { workers: 2 } } : {});
        for (let round = 0; round < 2; ++round) {
          await model.transcribe(recording, { workers: 2, language: 'en' });
          jest.advanceTimersByTime(59_000);
          expect(engines.map(({ isClosed }) => isClosed)).toEqual([false, false]);
        }
        jest.advanceTimersByTime(2_000);
        expect(engines.map(({ isClosed }) => isClosed)).toEqual([false, !isKept]);
        await model.transcribe(recording, { workers: 2, language: 'en' });
        expect(engines).toHaveLength(isKept ? 2 : 3);
      }
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('options', () => {
  test.each([0, 17, 1.5, '2', null])('workers: %p is refused', async (workers) => {
    const { model } = load();
    const options = { workers } as unknown as TranscribeOptions;
    expect(await errorOf(model.transcribe(recording, options))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'workers' },
    });
  });

  const excluding: readonly [TranscribeOptions, string | undefined][] = [
    [{ vad: false }, 'window'],
    [{ vad: false, normalization: 'recording' }, 'recording'],
    [{ compatibility: 'openai' }, undefined],
    [{ vad: false, conditionOnPreviousText: true }, 'window'],
  ];
  test.each(excluding)('%p has one engine', async (options, normalization) => {
    const { model, engines, counts } = load();
    await model.transcribe(recording, { ...options, workers: 4 });
    expect([engines[0]!.heard.length, counts.pulled, counts.loads]).toEqual([1, 0, 0]);
    const { settings } = engines[0]!.heard[0]!;
    expect(settings).not.toHaveProperty('workers');
    expect(settings.normalization).toBe(normalization);
    expect(model.info.warnings).toEqual([]);
  });

  test('where the detector is left out, 1 is as without it, and what was not begun in chunks goes on so', async () => {
    const { model, engines, counts } = load();
    const plain = model.transcribe(recording, { vad: false });
    const one = model.transcribe(recording, { vad: false, workers: 1 });
    expect(await one).toEqual(await plain);
    expect(one.save()).not.toHaveProperty('chunks');
    const { heard } = engines[0]!;
    expect(heard[0]).toEqual(heard[1]);
    await model.transcribe(recording, { from: kept(one.save()), workers: 3 });
    expect([heard.length, counts.pulled, counts.loads]).toEqual([3, 0, 0]);
  });

  test('without the detector’s files: one engine, or their error where they are asked for', async () => {
    const detectorError = new Error('404');
    const { model, engines, counts } = load({ detectorError });
    const work = model.transcribe(recording, { workers: 4 });
    expect((await work).segments).toHaveLength(2);
    expect(work.save()).not.toHaveProperty('chunks');
    expect([engines[0]!.heard.length, counts.loads]).toEqual([1, 0]);
    expect(model.info.warnings).toEqual([expect.stringContaining('404')]);
    const asked = model.transcribe(recording, { workers: 4, vad: true });
    expect(await errorOf(asked)).toBe(detectorError);
  });
});

describe('calls at once', () => {
  /** `count` recordings with so many chunks each, numbered from 0, 100, 200, … */
  const recordings = (count: number, chunks: number): Float32Array[] =>
    Array.from({ length: count }, (_, i) => recordingOf(chunks, 100 * i));
  const heardBy = ({ heard }: ScriptedEngine): number[] => heard.map(({ chunk }) => chunk);
  /** Recordings whose chunks engines hear right now. */
  const underWay = (engines: readonly ScriptedEngine[]): number[] =>
    engines.flatMap((engine) => [...engine.underWay].map((chunk) => Math.floor(chunk / 100)));

  async function alone(
    audio: readonly Float32Array[],
    options: TranscribeOptions = {},
  ): Promise<Transcript[]> {
    const { model } = load();
    const results: Transcript[] = [];
    for (const each of audio)
      results.push(await model.transcribe(each, { ...options, workers: 1 }));
    return results;
  }

  test.each([
    [1, 1],
    [1, 2],
    [1, 4],
    [3, 2],
    [3, 3],
    [4, 8],
  ])('of %d chunks each, with %d engines: as one after the other', async (chunks, workers) => {
    const audio = recordings(10, chunks);
    const { model, engines, counts } = load({ turnsOf: (chunk) => 4 + ((7 * chunk) % 5) });
    const begun: number[] = [];
    let most = 0;
    const works = audio.map((each, i) =>
      model.transcribe(each, {
        workers,
        onProgress: () => {
          if (!begun.includes(i)) begun.push(i);
          most = Math.max(most, new Set(underWay(engines)).size);
        },
      }),
    );
    expect(await Promise.all(works)).toEqual(await alone(audio));
    expect(begun).toEqual(audio.map((_, i) => i));
    expect(most).toBeLessThanOrEqual(workers);
    expect(most > 1).toBe(workers > 1);
    expect(engines.length).toBeLessThanOrEqual(workers);
    if (workers < 4) expect(engines).toHaveLength(workers);
    if (workers < 4) for (const { heard } of engines) expect(heard.length).toBeGreaterThan(2);
    expect(engines.flatMap(heardBy)).toHaveLength(10 * chunks);
    expect(counts.left).toBe(10);
  });

  test('no more are under way than there are engines, and the first has the model’s own', async () => {
    const { model, engines, counts } = load({ turnsOf: () => Infinity });
    const controller = new AbortController();
    const { signal } = controller;
    const works = recordings(5, 1).map((each) => model.transcribe(each, { workers: 3, signal }));
    const failing = works.map((work) => errorOf(work));
    await until(() => engines.length === 3 && engines.every(({ heard }) => heard.length > 0));
    await turns(50);
    expect(engines.map(heardBy)).toEqual([[0], [100], [200]]);
    expect(counts.pulled).toBe(3);
    controller.abort('enough');
    expect(await Promise.all(failing)).toEqual(Array(5).fill('enough'));
    expect(counts.left).toBe(3);
    await turns(2);
    expect(underWay(engines)).toEqual([]);
  });

  test('none starves: a long one behind a long one is heard', async () => {
    const { model, engines } = load();
    const audio = recordings(3, 12);
    const works = audio.map((each) => model.transcribe(each, { workers: 2 }));
    await until(() => works[1]!.soFar.segments.length > 4);
    expect(works[0]!.soFar.segments.length).toBeLessThan(24);
    expect(engines[0]!.heard.every(({ chunk }) => chunk < 100)).toBe(true);
    expect(await Promise.all(works)).toEqual(await alone(audio));
  });

  test('many of them listen to no signal that is not theirs', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): number => warnings.push(message);
    process.on('warning', onWarning);
    try {
      const { model } = load();
      const audio = recordings(15, 1);
      await Promise.all(audio.map((each) => model.transcribe(each, { workers: 2 })));
      await turns(2);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', onWarning);
    }
  });

  test('those that follow each other load no other engine', async () => {
    const { model, counts } = load();
    for (const each of recordings(4, 1)) {
      await model.transcribe(each, { workers: 4 });
      await model.decode(each);
      await model.transcribe(each, { workers: 4 });
    }
    expect(counts.loads).toBe(0);
  });

  test('a long one that has all engines leaves one to each that comes, between two chunks', async () => {
    const { model, engines, counts } = load({ turnsOf: () => 8 });
    const audio = [recordingOf(20), recordingOf(1, 100), recordingOf(1, 200)] as const;
    const options = { workers: 3, language: 'en' };
    const long = model.transcribe(audio[0], options);
    await until(() => engines.filter(({ underWay }) => underWay.size > 0).length === 3);
    const short = await Promise.all(audio.slice(1).map((each) => model.transcribe(each, options)));
    // Two a chunk.
    expect(long.soFar.segments.length).toBeLessThan(20);
    expect([await long, ...short]).toEqual(await alone(audio, { language: 'en' }));
    expect(counts.loads).toBe(2);
    // It has them again.
    for (const engine of engines) expect(heardBy(engine).at(-1)).toBeGreaterThan(10);
    for (const engine of engines) expect(heardBy(engine).at(-1)).toBeLessThan(100);
  });

  test('an engine that the first has no more chunks for is the next one’s', async () => {
    const held = { isHeld: true };
    const { model, engines } = load({
      turnsOf: (chunk) => (chunk === 1 && held.isHeld ? 1000 : 3),
    });
    const [one, two] = recordings(2, 2);
    const options = { workers: 2, language: 'en' };
    const first = model.transcribe(one!, options);
    await until(() => engines[1]?.underWay.has(1) === true);
    const second = await model.transcribe(two!, options);
    expect(heardBy(engines[0]!)).toEqual([0, 100, 101]);
    expect(first.soFar.segments).toHaveLength(2);
    expect([await first, second]).toEqual(await alone([one!, two!], { language: 'en' }));
  });

  test('the next one has both when the first is over', async () => {
    const { model, engines } = load({ turnsOf: (chunk) => (chunk < 100 ? 60 : 8) });
    const [one, two] = [recordingOf(1), recordingOf(20, 100)];
    const works = [one, two].map((each) => model.transcribe(each, { workers: 2 }));
    expect(await Promise.all(works)).toEqual(await alone([one, two]));
    expect(heardBy(engines[1]!)[0]).toBe(100);
    for (const { heard } of engines) expect(heard.length).toBeGreaterThan(5);
  });

  test('what is not in chunks has the model’s own engine alone, in its turn', async () => {
    const { model, engines } = load({ turnsOf: () => 12 });
    const audio = recordings(4, 2);
    const order: string[] = [];
    const named = <T>(name: string, work: Promise<T>): Promise<T> =>
      work.finally(() => order.push(name));
    const options = { workers: 2, language: 'en' };
    const whole = (i: number): Promise<Transcript> =>
      named(`whole ${i}`, model.transcribe(audio[i]!, options));
    const works = [
      ...[whole(0), named('window 900', model.decode(recordingOf(1, 900))), whole(1)],
      named('in sequence', model.transcribe(recordingOf(1, 800), { vad: false })),
      ...[whole(2), named('window 901', model.decode(recordingOf(1, 901))), whole(3)],
    ];
    const results = await Promise.all(works);
    const chunked = [0, 2, 4, 6].map((at) => results[at]);
    expect(chunked).toEqual(await alone(audio, { language: 'en' }));
    const own = order.filter((name) => !name.startsWith('whole'));
    expect(own).toEqual(['window 900', 'in sequence', 'window 901']);
    expect(engines[0]!.decoded.map(({ beside }) => beside)).toEqual([[], []]);
    expect(engines[1]!.decoded).toEqual([]);
    expect(heardBy(engines[0]!)).toContain(800);
    // Nothing of a later call comes before it on this engine.
    const later = heardBy(engines[0]!).indexOf(800);
    for (const chunk of heardBy(engines[0]!).slice(0, later)) expect(chunk).toBeLessThan(200);
  });

  test('one chunk behind a call of another kind makes no engine: it waits for its turn', async () => {
    const { model, engines, counts } = load();
    const window = model.decode(recordingOf(1, 900));
    const whole = model.transcribe(recordingOf(1), { workers: 2, language: 'en' });
    await Promise.all([window, whole]);
    expect(heardBy(engines[0]!)).toEqual([0]);
    expect(counts.loads).toBe(0);
  });

  test('a call for one engine waits for its turn', async () => {
    const { model, engines } = load();
    const [one, two, three] = recordings(3, 3);
    const works = [
      model.transcribe(one!, { workers: 2 }),
      model.transcribe(two!, { workers: 1 }),
      model.transcribe(three!, { workers: 2 }),
    ];
    expect(await Promise.all(works)).toEqual(await alone([one!, two!, three!]));
    expect(heardBy(engines[1]!).some((chunk) => chunk >= 100 && chunk < 200)).toBe(false);
  });

  test.each([0, 1, 2])('an abort of number %d is no other’s', async (aborted) => {
    for (const wait of [0, 1, 5, 10, 20, 40]) {
      const { model, engines } = load({ turnsOf: () => 40 });
      const audio = recordings(3, 2);
      const controller = new AbortController();
      const works = audio.map((each, i) =>
        model.transcribe(each, { workers: 2, ...(i === aborted && { signal: controller.signal }) }),
      );
      const outcomes = works.map((work) => work.catch((error: unknown) => error));
      await turns(wait);
      controller.abort('enough');
      const wanted: unknown[] = await alone(audio);
      wanted[aborted] = 'enough';
      expect(await Promise.all(outcomes)).toEqual(wanted);
      await turns(2);
      expect(underWay(engines)).toEqual([]);
      expect(await model.transcribe(recording, { workers: 2 })).toEqual(await expected());
    }
  });

  test('one whose loop is left, or whose callback throws, is no other’s either', async () => {
    const { model } = load({ turnsOf: () => 8 });
    const audio = recordings(4, 3);
    const thrown = new Error('from the callback');
    const [left, throwing, third, fourth] = audio.map((each, i) =>
      model.transcribe(each, {
        workers: 3,
        onProgress: ({ loaded }) => {
          if (i === 1 && loaded > 1) throw thrown;
        },
      }),
    );
    const failed = errorOf(throwing!);
    for await (const { id } of left!) if (id === 1) break;
    expect(await errorOf(left!)).toMatchObject({ code: 'aborted' });
    expect(await failed).toBe(thrown);
    expect([await third, await fourth]).toEqual((await alone(audio)).slice(2));
  });

  test('a pause of the first holds up what needs the model’s own engine, not who has another', async () => {
    const { model, engines } = load({ turnsOf: () => 20 });
    const [one, two, three] = recordings(3, 1);
    const works = [one!, two!].map((each) => model.transcribe(each, { workers: 2 }));
    await until(() => engines.length === 2 && engines.every(({ heard }) => heard.length > 0));
    works[0]!.pause();
    const state = { isDecoded: false };
    const decoding = model.decode(three!).then(() => (state.isDecoded = true));
    decoding.catch(() => undefined);
    const [, second] = await alone([one!, two!]);
    expect(await works[1]!).toEqual(second);
    // It goes on with the engine of the second.
    const third = await model.transcribe(three!, { workers: 2 });
    expect(heardBy(engines[1]!)).toEqual([100, 200]);
    expect(state.isDecoded).toBe(false);
    expect(works[0]!.soFar.segments.length).toBeLessThan(2);
    works[0]!.resume();
    await decoding;
    expect([await works[0]!, third]).toEqual(await alone([one!, three!]));
  });

  test('a pause of the second: its engine is its own, and the first goes on', async () => {
    for (const wait of [0, 3, 10, 25]) {
      const { model, engines } = load({ turnsOf: () => 20 });
      const [one, two, three] = recordings(3, 2);
      const options = { workers: 2, language: 'en' };
      const works = [one!, two!].map((each) => model.transcribe(each, options));
      await turns(wait);
      works[1]!.pause();
      const results = await alone([one!, two!], { language: 'en' });
      expect(await works[0]!).toEqual(results[0]);
      await turns(60);
      const { segments } = works[1]!.soFar;
      expect(segments.length).toBeLessThan(4);
      const third = model.transcribe(three!, options);
      await turns(60);
      expect(works[1]!.soFar.segments).toEqual(segments);
      works[1]!.resume();
      expect(await works[1]!).toEqual(results[1]);
      expect((await third).segments).toHaveLength(4);
      expect(engines.length).toBeLessThanOrEqual(2);
    }
  });

  test('one that is paused before it begins takes no engine from the next', async () => {
    const { model, engines } = load({ turnsOf: (chunk) => (chunk < 100 ? Infinity : 3) });
    const controller = new AbortController();
    const [one, two, three] = recordings(3, 1);
    const options = { workers: 2 };
    const failing = errorOf(model.transcribe(one!, { ...options, signal: controller.signal }));
    const second = model.transcribe(two!, options);
    second.pause();
    expect((await model.transcribe(three!, options)).segments).toHaveLength(2);
    expect(engines.map(heardBy)).toEqual([[0], [200]]);
    second.resume();
    expect((await second).segments).toHaveLength(2);
    expect(heardBy(engines[1]!)).toEqual([200, 100]);
    controller.abort();
    await failing;
  });

  test.each([1, 3])('an engine that dies under the second, of %d chunks', async (chunks) => {
    const { model, engines } = load({
      turnsOf: (chunk, engine) => (engine > 0 || chunk === 0 ? 60 : 3),
    });
    const audio = recordings(3, chunks);
    const works = audio.map((each) => model.transcribe(each, { workers: 2, language: 'en' }));
    await until(() => engines[1]?.underWay.has(100) === true);
    engines[1]!.die();
    expect(await Promise.all(works)).toEqual(await alone(audio, { language: 'en' }));
    // It goes on with the model's own when its turn comes.
    const own = heardBy(engines[0]!);
    expect(own.indexOf(100)).toBeGreaterThan(own.indexOf(chunks - 1));
    expect(own.indexOf(100)).toBeLessThan(own.indexOf(200));
    expect(model.info.warnings).toHaveLength(1);
  });

  test.each([
    ['before that', 1, (engine: ScriptedEngine) => !engine.underWay.has(1)],
    ['at the first chunk of the second', 100, ({ underWay }: ScriptedEngine) => underWay.has(100)],
    ['at a later one', 101, ({ underWay }: ScriptedEngine) => underWay.has(101)],
  ])('an engine that the first gave away and that dies %s', async (_, last, isTime) => {
    const { model, engines } = load({ turnsOf: (chunk) => (chunk === 0 ? 400 : 6) });
    const audio = [recordingOf(2), recordingOf(3, 100), recordingOf(2, 200)];
    const begin = (each: Float32Array): Promise<Transcript> =>
      model.transcribe(each, { workers: 2, language: 'en' });
    const first = begin(audio[0]!);
    await until(() => engines[1]?.underWay.has(1) === true);
    const works = [first, ...audio.slice(1).map(begin)];
    await until(() => isTime(engines[1]!));
    engines[1]!.die();
    expect(await Promise.all(works)).toEqual(await alone(audio, { language: 'en' }));
    // The first was done with it, and hears nothing again.
    expect(engines.flatMap(heardBy).filter((chunk) => chunk < 100)).toEqual([0, 1]);
    expect(heardBy(engines[1]!).at(-1)).toBe(last);
    expect(engines.map(({ closings }) => closings)).toEqual([0, 1]);
    expect(model.info.warnings).toHaveLength(1);
  });

  test('an engine that dies when its call has given the model’s own away: it comes first again', async () => {
    const { model, engines } = load({
      turnsOf: (chunk, engine) => (engine > 0 ? 1000 : chunk === 1 ? 3 : 60),
    });
    const audio = recordings(3, 2);
    const begin = (each: Float32Array): Promise<Transcript> =>
      model.transcribe(each, { workers: 2, language: 'en' });
    const first = begin(audio[0]!);
    await until(() => engines[1]?.underWay.has(1) === true);
    const works = [first, ...audio.slice(1).map(begin)];
    await until(() => engines[0]!.underWay.has(100));
    engines[1]!.die();
    expect(await Promise.all(works)).toEqual(await alone(audio, { language: 'en' }));
    const own = heardBy(engines[0]!);
    expect(own.indexOf(1)).toBeLessThan(own.indexOf(200));
  });

  test('no further engine can be had: one after the other', async () => {
    const { model, engines } = load({ loads: () => Promise.reject(new Error('no memory')) });
    const audio = recordings(4, 2);
    const works = audio.map((each) => model.transcribe(each, { workers: 3 }));
    expect(await Promise.all(works)).toEqual(await alone(audio));
    expect(heardBy(engines[0]!)).toEqual([0, 1, 100, 101, 200, 201, 300, 301]);
    expect(model.info.warnings).toHaveLength(1);
  });

  test('without the detector’s files: one after the other', async () => {
    const { model, engines } = load({ detectorError: new Error('404'), turnsOf: () => 10 });
    const works = recordings(4, 1).map((each) => model.transcribe(each, { workers: 3 }));
    for (const { segments } of await Promise.all(works)) expect(segments).toHaveLength(2);
    expect(heardBy(engines[0]!)).toEqual([0, 100, 200, 300]);
    expect(model.info.warnings).toHaveLength(1);
  });

  test('disposal ends all of them', async () => {
    for (const wait of [0, 1, 5, 10, 30]) {
      const { model, engines } = load({ turnsOf: () => 20 });
      const works = recordings(4, 2).map((each) => model.transcribe(each, { workers: 2 }));
      const failing = works.map((work) => errorOf(work));
      await turns(wait);
      model.dispose();
      for (const error of await Promise.all(failing))
        expect(error).toMatchObject({ code: 'aborted' });
      await turns(3);
      expect(engines.every(({ underWay, isClosed }) => underWay.size === 0 && isClosed)).toBe(true);
    }
  });

  test('saved ones go on at once', async () => {
    const audio = recordings(3, 4);
    const { model } = load();
    const saved: SavedTranscription[] = [];
    for (const each of audio) {
      const work = model.transcribe(each, { workers: 2 });
      for await (const { id } of work) if (id === 2) break;
      await errorOf(work);
      saved.push(kept(work.save()));
    }
    const works = audio.map((each, i) => model.transcribe(each, { from: saved[i]!, workers: 2 }));
    expect(await Promise.all(works)).toEqual(await alone(audio));
  });

  test('thirty rounds of deaths, aborts and pauses: each has its result or its reason', async () => {
    const audio = recordings(5, 3);
    const wanted = await alone(audio);
    for (let round = 0; round < 30; ++round) {
      const random = drawn(1000 + round);
      const workers = 2 + Math.floor(3 * random());
      const { model, engines } = load({
        turnsOf: () => 1 + Math.floor(12 * random()),
        loads: async () => {
          await turns(Math.floor(20 * random()));
          if (random() < 0.2) throw engineFailed();
        },
      });
      const controllers = audio.map(() => new AbortController());
      const works = audio.map((each, i) =>
        model.transcribe(each, { workers, signal: controllers[i]!.signal }),
      );
      const state = { overCount: 0 };
      const outcomes = works.map((work) =>
        work
          .catch((error: unknown) => error)
          .finally(() => {
            ++state.overCount;
          }),
      );
      const decoding = model.decode(recordingOf(1, 900));
      while (state.overCount < works.length) {
        await turns(1);
        const at = Math.floor(works.length * random());
        if (random() < 0.03) engines[1 + Math.floor((engines.length - 1) * random())]?.die();
        if (random() < 0.02) controllers[at]!.abort(`reason ${at}`);
        if (random() < 0.1) works[at]!.pause();
        else works[at]!.resume();
      }
      const results = await Promise.all(outcomes);
      for (const [i, result] of results.entries()) {
        if (controllers[i]!.signal.aborted)
          expect([wanted[i], `reason ${i}`]).toContainEqual(result);
        else expect(result).toEqual(wanted[i]);
      }
      await decoding;
      expect(engines[0]!.decoded.map(({ beside }) => beside)).toEqual([[]]);
      await until(() => underWay(engines).length === 0);
      expect(await model.transcribe(recording, { workers })).toEqual(await expected());
    }
  });
});

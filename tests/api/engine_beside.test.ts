// loadModel({ workers }): further engines take the file while the model's own does. What becomes of it when one fails, or the load.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LoadOptions, ModelSource } from '../../web/src/api/types.js';
import { EngineBeside } from '../../web/src/model/engine_beside.js';
import { loadModelOn } from '../../web/src/model/load_model.js';
import { node } from '../../web/src/node_platform.js';
import type { EngineCalls, EngineLink } from '../../web/src/protocol/engine.js';
import { errorOf, inPieces, modelBytes } from '../support/embedded_model.js';
import { clonedEngine, readModule } from '../support/worker_engine.js';
import { turns } from '../support/turns.js';

type Name = keyof EngineCalls;

/** A further engine: what it was asked for, and whether it was closed. */
interface Further {
  readonly calls: Name[];
  isClosed: boolean;
}

const bytes = modelBytes();
const pieces = (of = bytes): ModelSource => inPieces(of, 100_000);
const opened: Further[] = [];
/** What a test does before a call of the engine with that number; may throw. */
let before: (name: Name, engine: number) => Promise<void> | undefined;
let opens: () => void;
beforeEach(() => {
  opened.length = 0;
  before = () => undefined;
  opens = () => undefined;
});

const platform = {
  ...node,
  device: () => ({ processors: 4, memoryBytes: 2 ** 40 }),
  compileFiles: () => readModule('files'),
  openEngine: clonedEngine,
  openFurtherEngine: (): EngineLink => {
    opens();
    const further: Further = { calls: [], isClosed: false };
    const number = opened.push(further);
    const engine = clonedEngine();
    let end: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_, failed) => (end = failed));
    ended.catch(() => undefined);
    return {
      async call(name, request, options) {
        further.calls.push(name);
        await Promise.race([before(name, number), ended]);
        return engine.call(name, request, options);
      },
      close() {
        further.isClosed = true;
        end(new Error('closed'));
        engine.close();
      },
    };
  },
};

const disposals: (() => void)[] = [];
afterEach(() => disposals.splice(0).forEach((dispose) => dispose()));
async function load(source: ModelSource = pieces(), options: LoadOptions = {}) {
  const model = await loadModelOn(platform, source, {
    ...{ variant: 'simd', threads: 1, workers: 3, ...options },
  });
  disposals.push(() => model.dispose());
  return model;
}

const steps = ['start', 'beginFile', 'pushLoad', 'endFile', 'finishLoad'] as const;
const open = (): number => opened.filter(({ isClosed }) => !isClosed).length;

test('each takes the whole file, and none is copied', async () => {
  const model = await load();
  expect([model.info.workers, opened.length, open()]).toEqual([3, 2, 2]);
  for (const { calls } of opened) {
    expect(calls.filter((name) => name === 'pushLoad').length).toBeGreaterThan(1);
    expect([...new Set(calls)]).toEqual(steps);
  }
  model.dispose();
  expect(open()).toBe(0);
});

test.each([
  ['one engine', { workers: 1 }],
  ['as many as calls want', { workers: 'auto' }],
  ['a model that is used early, whose engines are copies', { workers: 3, early: true }],
] as const)('none beside a load of %s', async (_, options) => {
  const model = await load(pieces(), options);
  await model.loaded;
  expect(opened.flatMap(({ calls }) => calls)).not.toContain('pushLoad');
});

describe.each(steps)('one that fails at %s', (step) => {
  const failing = (): Promise<void> => Promise.reject(new Error('trap'));

  test('is closed, and a copy takes its place', async () => {
    before = (name, engine) => (name === step && engine === 1 ? failing() : undefined);
    const model = await load();
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
    expect(opened[2]!.calls).toEqual(['start', 'adopt']);
    expect(model.info.warnings).toEqual([]);
  });

  test('as all of them do: the model loads, and says so', async () => {
    before = (name) => (name === step || name === 'adopt' ? failing() : undefined);
    const model = await load();
    expect(open()).toBe(0);
    expect(model.info.warnings).toEqual([expect.stringMatching(/^Fewer engines .* trap$/)]);
  });
});

test('where no worker may start, the model loads, and says so', async () => {
  opens = () => {
    throw new Error('refused');
  };
  const { info } = await load();
  expect(info.warnings).toEqual([expect.stringMatching(/^Fewer engines .* refused$/)]);
});

test.each([
  ['ends too early', bytes.slice(0, -1000)],
  ['has a wrong byte', bytes.map((byte, i) => (i === bytes.length - 1000 ? byte ^ 1 : byte))],
  ['is no model', new Uint8Array(1000)],
])('a file that %s: the error of one engine, and all are closed', async (_, wrong) => {
  const expected = await errorOf(load(pieces(wrong), { workers: 1 }));
  expect(await errorOf(load(pieces(wrong)))).toEqual(expected);
  expect([opened.length, open()]).toEqual([2, 0]);
});

describe.each(steps)('an abort while one is at %s', (step) => {
  test.each([[new Error('enough')], [0], ['enough']])('with %p closes all', async (reason) => {
    const controller = new AbortController();
    before = (name) => {
      if (name !== step) return undefined;
      controller.abort(reason);
      return new Promise(() => undefined);
    };
    expect(await errorOf(load(pieces(), { signal: controller.signal }))).toBe(reason);
    expect([opened.length, open()]).toEqual([2, 0]);
  });
});

test('a model that wakes has its own engine alone, until a call wants more', async () => {
  const model = await load(bytes, { autoSleep: 0.001 });
  const sleeps = async (): Promise<void> => {
    while (!model.asleep) await new Promise((done) => setTimeout(done, 1));
  };
  await sleeps();
  expect(open()).toBe(0);
  await model.memory();
  await sleeps();
  expect(opened).toHaveLength(2);
});

test('none is further behind than 16 MB, whatever the file brings', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((done) => (release = done));
  let taken = 0;
  const slow = {
    async call(name: Name, request: unknown) {
      await held;
      if (name === 'pushLoad') taken += (request as { bytes: Uint8Array }).bytes.length;
    },
    close: () => undefined,
  } as unknown as EngineLink;
  const beside = new EngineBeside(slow, 2);
  const piece = new Uint8Array(2 ** 21);
  let pushed = 0;
  const pushing = (async () => {
    for (; pushed < 10; ++pushed) await beside.push(piece);
  })();
  await turns(20);
  // The one that waits, too, has been copied.
  expect([pushed, taken]).toEqual([4, 0]);
  release();
  await pushing;
  expect(await beside.finish()).toBe(slow);
  expect(taken).toBe(10 * piece.length);
});

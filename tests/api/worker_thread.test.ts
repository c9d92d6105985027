// The start of a thread in a worker of a browser, and in a load whose browser loses such workers.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { LoadOptions, WhisperModel } from '../../web/src/api/types.js';
import { EngineHost } from '../../web/src/engine/engine_host.js';
import { openForThreads, type ThreadOrder } from '../../web/src/engine/several_threads.js';
import { createThreadsEngine } from '../../web/src/engine/threads_module.js';
import { answerAsThread, startThread } from '../../web/src/engine/worker_thread.js';
import { openSingleThread } from '../../web/src/engine/single_thread.js';
import { loadModelOn } from '../../web/src/model/load_model.js';
import { node } from '../../web/src/node_platform.js';
import type { EngineLink } from '../../web/src/protocol/engine.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { errorOf, modelBytes, sampleAudio, sampleText } from '../support/embedded_model.js';
import { neverFails, readModule } from '../support/worker_engine.js';

const order = { thread: 1 } as ThreadOrder;

test('a worker gets its order when it listens, and is ready when it says so', async () => {
  const posted: unknown[] = [];
  const worker = { postMessage: (message: unknown) => void posted.push(message) } as Worker;
  const { ready } = startThread({ worker, failure: neverFails }, order);
  const says = (data: string): void => void worker.onmessage?.({ data } as MessageEvent);
  expect(posted).toEqual([]);
  says('listening');
  expect(posted).toEqual([order]);
  says('ready');
  await ready;
  expect(posted).toEqual([order]);
});

test('a worker says that it is ready in one task, and works from the next one on', () => {
  const steps: unknown[] = [];
  const { addEventListener: add, postMessage: post, setTimeout: later } = globalThis;
  const listeners = new Map<string, (event: unknown) => void>();
  const tasks: (() => void)[] = [];
  Object.assign(globalThis, {
    addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    postMessage: (answer: string) => steps.push(answer),
    setTimeout: (task: () => void) => tasks.push(task),
  });
  try {
    answerAsThread(({ thread }) => {
      steps.push(thread);
      return () => steps.push('serves');
    });
    listeners.get('message')?.({ data: order });
  } finally {
    Object.assign(globalThis, { addEventListener: add, postMessage: post, setTimeout: later });
  }
  expect(steps).toEqual(['listening', 1, 'ready']);
  for (const task of tasks) task();
  expect(steps.at(-1)).toBe('serves');
  expect(() => listeners.get('messageerror')?.({})).toThrow('could not read');
});

describe('a load whose browser loses workers', () => {
  /** The load's own limits, which pass when the test says so; other timers are left alone. */
  const limits = new Map<unknown, () => void>();
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  beforeEach(() => {
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, most = 0) => {
      if (most < 10_000) return realSet(act, most);
      const key = {};
      limits.set(key, act);
      return key;
    }) as never);
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((key) => {
      if (!limits.delete(key)) realClear(key);
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    limits.clear();
  });

  const asleep = { ready: Promise.resolve(), end: () => undefined };
  const openEngine = (): EngineLink =>
    openInProcess(
      new EngineHost(async (variant, threads) =>
        threads === 1
          ? openSingleThread(await readModule(`engine.${variant}`))
          : openForThreads(
              ...([createThreadsEngine, await readModule(`engine.${variant}-threads`)] as const),
              ...([threads, () => asleep] as const),
            ),
      ),
    );

  /** A model of which the first engines never answer `call`, until they are closed. */
  function load(
    silent: number,
    options: LoadOptions,
    onSilence: () => void,
  ): { loaded: Promise<WhisperModel>; closed: number[] } {
    let opened = 0;
    const closed: number[] = [];
    const open = (): EngineLink => {
      const number = opened++;
      const engine = openEngine();
      let leave: ((error: Error) => void) | undefined;
      return {
        call(name, ...rest) {
          if (name !== 'makeThreads' || number >= silent) return engine.call(name, ...rest);
          setImmediate(onSilence);
          return new Promise((_, failed) => (leave = failed));
        },
        close() {
          closed.push(number);
          engine.close();
          leave?.(new Error('closed'));
        },
      };
    };
    const platform = { ...node, openEngine: open, compileFiles: () => readModule('files') };
    const loading = loadModelOn(platform, modelBytes(), { variant: 'simd', ...options });
    return { loaded: loading as Promise<WhisperModel>, closed };
  }
  const passLimits = (): void => limits.forEach((act) => act());

  test.each([
    ['once: begins again, with as many threads', 1, 3, /^asked for$/],
    ['twice: goes on with one thread', 2, 1, /^threads did not start: .*did not answer/],
  ])('%s', async (_, silent, threads, reason) => {
    const { loaded, closed } = load(silent, { threads: 3 }, passLimits);
    using model = await loaded;
    expect(model.info).toMatchObject({ threads, threadsReason: expect.stringMatching(reason) });
    expect(closed).toEqual([0, 1].slice(0, silent));
    expect((await model.decode(sampleAudio())).text.trim()).toBe(sampleText);
    expect(limits.size).toBe(0);
  });

  test('and that is aborted meanwhile, begins nothing more', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { loaded, closed } = load(9, { threads: 3, signal }, () => controller.abort());
    const error = await errorOf(loaded);
    expect(error).toBe(signal.reason);
    expect(new Set(closed)).toEqual(new Set([0]));
    expect(limits.size).toBe(0);
  });
});

import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { EngineCalls, EngineEvent } from '../../web/src/protocol/engine.js';
import { openWorker } from '../../web/src/worker/client.js';
import type { ToWorker } from '../../web/src/protocol/link.js';
import { answerMessages } from '../../web/src/worker/worker_host.js';
import { collectGarbage } from '../support/collect_garbage.js';
import { errorOf, modelBytes, sampleAudio } from '../support/embedded_model.js';
import { loadThroughWorker, neverFails } from '../support/worker_engine.js';

test('a part of a large buffer goes to the worker without the rest', () => {
  const posted: ToWorker[] = [];
  const handedOver: Transferable[][] = [];
  const worker = {
    postMessage(message: ToWorker, transfer: Transferable[]) {
      posted.push(message);
      handedOver.push(transfer);
    },
  };
  const link = openWorker<EngineCalls, EngineEvent>(worker as unknown as Worker, neverFails);
  const file = Uint8Array.from({ length: 1000 }, (_, i) => i);
  void link.call('pushLoad', { bytes: file.subarray(100, 110) });
  void link.call('pushLoad', { bytes: file });
  void link.call('pushLoad', { bytes: file }, { givesAway: true });
  void link.call('pushLoad', { bytes: file.subarray(5) }, { givesAway: true });
  const sent = posted.map((message) => {
    if (message.type !== 'call') throw new Error('Only calls are expected.');
    return (message.request as { bytes: Uint8Array }).bytes;
  });
  expect(sent[0]).toEqual(file.subarray(100, 110));
  expect(sent[0]?.buffer.byteLength).toBe(10);
  // The copy is not copied again on its way.
  expect(handedOver[0]).toEqual([sent[0]?.buffer]);
  // What is whole is the caller's, and is not copied twice.
  expect(sent[1]).toBe(file);
  expect(handedOver[1]).toEqual([]);
  // Unless the caller gives it away; but never the rest of a buffer along with a part.
  expect(sent[2]).toBe(file);
  expect(handedOver[2]).toEqual([file.buffer]);
  expect(sent[3]).toEqual(file.subarray(5));
  expect(handedOver[3]).toEqual([sent[3]?.buffer]);
  expect(sent[3]?.buffer).not.toBe(file.buffer);
});

test('a worker is not forgotten while a call waits, as Firefox may end it then, and is afterwards', async () => {
  const begin = () => {
    const worker = { postMessage: () => undefined } as unknown as Worker;
    const link = openWorker<EngineCalls, EngineEvent>(worker, neverFails);
    void link.call('finishLoad', undefined);
    return new WeakRef(worker);
  };
  const known = begin();
  // What a WeakRef gives stays until the turn of the event loop ends.
  await sleep(1);
  collectGarbage();
  expect(known.deref()).toBeDefined();
  const answer = { data: { type: 'answer', id: 0, answer: undefined } } as MessageEvent;
  known.deref()!.onmessage!(answer);
  await sleep(1);
  collectGarbage();
  expect(known.deref()).toBeUndefined();
});

describe('what cannot be sent', () => {
  /** More than is posted without copying it in steps first. */
  const long = 80 * 16000;
  const samples = new Float32Array(long);
  samples.set(sampleAudio());

  test.each(['state', 'settings'] as const)(
    'a function in saved.%s is refused by its place, and later calls go on',
    async (part) => {
      await using model = await loadThroughWorker(modelBytes());
      const run = model.transcribe(samples.subarray(0, 160_000));
      await run;
      const saved = run.save();
      if (!saved) throw new Error('Nothing was saved.');
      const own = (): number => 1;
      for (const audio of [samples, samples.subarray(0, 160_000)]) {
        const given = {
          ...saved,
          sampleCount: audio.length,
          [part]: { ...saved[part], own },
        } as typeof saved;
        // The second call starts before the first has settled.
        const refused = errorOf(Promise.resolve(model.transcribe(audio, { from: given })));
        const later = model.tokenizer.encode('one');
        const error = await refused;
        expect(error).toMatchObject({
          code: 'invalid_argument',
          details: { subject: `${part}.own`, got: 'a function' },
        });
        expect((error as Error).cause).toMatchObject({ name: 'DataCloneError' });
        expect((await later).length).toBeGreaterThan(0);
      }
    },
  );

  test('the caller’s signal is let go, and a request that holds itself is described', async () => {
    const worker = { postMessage: (message: unknown) => void structuredClone(message) };
    const link = openWorker<EngineCalls, EngineEvent>(worker as unknown as Worker, neverFails);
    const { signal } = new AbortController();
    const text: Record<string, unknown> = {};
    Object.assign(text, { self: text, deep: { list: [1, Symbol('mine')] } });
    const call = link.call('tokenize', { text: text as never }, { signal });
    expect(await errorOf(call)).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'text.deep.list.1', got: 'a symbol' },
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a message that cannot be read', () => {
  test('from the worker fails what waits and what comes later', async () => {
    const worker = { onmessageerror: () => undefined, postMessage: () => undefined };
    const link = openWorker<EngineCalls, EngineEvent>(worker as unknown as Worker, neverFails);
    const waiting = errorOf(link.call('memory', undefined));
    worker.onmessageerror();
    for (const error of [await waiting, await errorOf(link.call('memory', undefined))]) {
      expect(error).toMatchObject({ code: 'internal_error', details: { subject: 'worker' } });
    }
  });

  test('in the worker is thrown there, which its owner hears', () => {
    const listeners = new Map<string, () => void>();
    const add = globalThis.addEventListener;
    globalThis.addEventListener = ((type: string, listener: () => void) =>
      listeners.set(type, listener)) as never;
    try {
      answerMessages(() => ({}) as never);
    } finally {
      globalThis.addEventListener = add;
    }
    expect(() => listeners.get('messageerror')?.()).toThrow('could not read');
  });
});

// The store behind useTranscriber(), with a model that a test has made.
import { expect, jest, test } from '@jest/globals';
import type { TranscriberStore as Store } from '../../web/page/transcriber_store.js';

const models: { readonly dispose: jest.Mock }[] = [];
const loadModel = jest.fn(() => {
  const model = { dispose: jest.fn() };
  models.push(model);
  return Promise.resolve(model);
});
jest.unstable_mockModule('../../web/src/index.js', () => ({ loadModel }));
const { TranscriberStore } = (await import('../../web/page/transcriber_store.js')) as {
  readonly TranscriberStore: new (source: string) => Store;
};

test('loads nothing for a component that has gone, and again for one that is back', async () => {
  const store = new TranscriberStore('base');
  const release = store.hold();
  const loading = store.load();
  release();
  const late = [store.load(), store.transcribe(new Float32Array(9))];
  expect(await Promise.all([loading, ...late])).toEqual([undefined, undefined, undefined]);
  expect(loadModel).toHaveBeenCalledTimes(1);
  expect(models[0]!.dispose).toHaveBeenCalledTimes(1);
  expect(store.state()).toMatchObject({ status: 'idle', model: undefined });
  // StrictMode runs each effect twice.
  store.hold();
  expect(await store.load()).toBe(models[1]);
});

test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s closes the store', async (end) => {
  const store = new TranscriberStore('base');
  await store.load();
  await store[Symbol[end]]();
  expect(models.at(-1)!.dispose).toHaveBeenCalledTimes(1);
  expect(store.state()).toMatchObject({ status: 'idle', model: undefined });
  // A load that it ends is over when it has waited, and fails nobody.
  const loading = store.load();
  await store[Symbol[end]]();
  expect(await loading).toBeUndefined();
  expect(models.at(-1)!.dispose).toHaveBeenCalledTimes(1);
});

test('a listener that throws stops neither the load nor other listeners', async () => {
  const reported = jest.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
  const store = new TranscriberStore('base');
  const seen: string[] = [];
  const error = new Error('my page');
  store.subscribe(() => {
    throw error;
  });
  store.subscribe(() => seen.push(store.state().status));
  try {
    expect(await store.load()).toBe(models.at(-1));
    expect(seen).toEqual(['loading', 'ready']);
    expect(reported).toHaveBeenCalledTimes(2);
    expect(() => reported.mock.calls[0]![0]()).toThrow(error);
  } finally {
    reported.mockRestore();
  }
});

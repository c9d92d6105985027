// The service worker's activation, during which Firefox holds every request of the page.
import { expect, test } from '@jest/globals';

test('is over although a worker of the page never answers clients.claim()', async () => {
  const listeners = new Map<string, (event: unknown) => void>();
  let claims = 0;
  Object.assign(globalThis, {
    pageFiles: { version: '1', files: {}, later: {}, changing: [] },
    caches: { keys: () => Promise.resolve([]) },
    registration: { scope: 'https://example.org/' },
    clients: {
      // As in Firefox, as long as a thread of an engine sleeps in Atomics.wait().
      claim: () => (++claims, new Promise(() => undefined)),
    },
    addEventListener: (name: string, listener: (event: unknown) => void) =>
      listeners.set(name, listener),
  });
  await import('../../web/demo/offline/service_worker.js');
  const lasting: unknown[] = [];
  listeners.get('activate')?.({ waitUntil: (work: unknown) => lasting.push(work) });
  expect(lasting).toHaveLength(1);
  // A whole turn of the event loop: nothing here takes more than microtasks.
  const turn = new Promise((done) => setImmediate(() => done('still activating')));
  expect(await Promise.race([Promise.all(lasting).then(() => 'active'), turn])).toBe('active');
  expect(claims).toBe(1);
});

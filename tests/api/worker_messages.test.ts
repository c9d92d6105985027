import { expect, test } from '@jest/globals';
import type { EngineCalls, EngineEvent } from '../../web/src/engine/protocol.js';
import { openWorker } from '../../web/src/worker/client.js';
import type { ToWorker } from '../../web/src/worker/link.js';

test('a part of a large buffer goes to the worker without the rest', () => {
  const posted: ToWorker[] = [];
  const worker = { postMessage: (message: ToWorker) => posted.push(message) };
  const link = openWorker<EngineCalls, EngineEvent>(worker as unknown as Worker);
  const file = Uint8Array.from({ length: 1000 }, (_, i) => i);
  void link.call('pushLoad', { bytes: file.subarray(100, 110) });
  void link.call('pushLoad', { bytes: file });
  const sent = posted.map((message) => {
    if (message.type !== 'call') throw new Error('Only calls are expected.');
    return (message.request as { bytes: Uint8Array }).bytes;
  });
  expect(sent[0]).toEqual(file.subarray(100, 110));
  expect(sent[0]?.buffer.byteLength).toBe(10);
  // What is whole is not copied twice.
  expect(sent[1]).toBe(file);
});

import { expect, test } from '@jest/globals';
import type { EngineCalls, EngineEvent } from '../../web/src/protocol/engine.js';
import { openWorker } from '../../web/src/worker/client.js';
import type { ToWorker } from '../../web/src/protocol/link.js';
import { neverFails } from '../support/worker_engine.js';

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

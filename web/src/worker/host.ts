// Runs in the worker: requests in, answers and events out.
import { EngineHost } from '../engine/host.js';
import type { EngineEvent, FromWorker, ToWorker } from '../engine/protocol.js';
import { toErrorMessage } from '../errors.js';
import type { EngineSource } from '../platform/platform.js';

interface Port {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

/** Answers for messages of the client. */
export function createWorkerHost(
  port: Port,
  openEngine: EngineSource,
): (message: ToWorker) => Promise<void> {
  const host = new EngineHost(openEngine);
  const running = new Map<number, AbortController>();

  return async (message) => {
    if (message.type === 'abort') {
      running.get(message.id)?.abort();
      return;
    }
    const { id, name, request } = message;
    const controller = new AbortController();
    running.set(id, controller);
    const emit = (event: EngineEvent): void => port.postMessage({ type: 'event', id, event });
    try {
      // The client's types vouch for the pair of name and request.
      const answer: unknown = await host.handle(name, request as never, controller.signal, emit);
      port.postMessage({ type: 'answer', id, answer }, transferables(answer));
    } catch (error) {
      port.postMessage({ type: 'error', id, error: toErrorMessage(error) });
    } finally {
      running.delete(id);
    }
  };
}

/** Float arrays are the only large things that cross, and nobody needs them on the sending side. */
export function transferables(value: unknown): Transferable[] {
  if (value instanceof Float32Array) return [value.buffer as ArrayBuffer];
  if (typeof value === 'object' && value !== null && 'data' in value)
    return transferables(value.data);
  return [];
}

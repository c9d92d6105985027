import { abortedBy, disposedDuringWork, wrongState } from '../errors.js';
import type { EngineSource } from '../platform/platform.js';
import { anyOf } from '../signals.js';
import { EngineHost } from './host.js';
import type { EngineLink } from './protocol.js';

/** An engine in this thread: it yields between slices of work. */
export function openInProcess(openEngine: EngineSource): EngineLink {
  let host: EngineHost | undefined = new EngineHost(openEngine);
  const closing = new AbortController();
  return {
    async call(name, request, { signal, onEvent } = {}) {
      if (!host) throw wrongState('The model is disposed.', 'model');
      if (signal?.aborted) throw abortedBy(signal);
      const either = anyOf([signal, closing.signal]);
      try {
        return await host.handle(name, request, either.signal, (event) => onEvent?.(event));
      } catch (error) {
        if (signal?.aborted) throw abortedBy(signal);
        if (closing.signal.aborted) throw disposedDuringWork();
        throw error;
      } finally {
        either.release();
      }
    },
    close() {
      closing.abort();
      host?.close();
      host = undefined;
    },
  };
}

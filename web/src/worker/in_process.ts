import { disposedDuringWork, wrongState } from '../api/errors.js';
import { anyOf, throwIfAborted } from '../api/signals.js';
import type { CallTable, Host, Link } from '../protocol/link.js';

/** A module in this thread: it yields between slices of work. */
export function openInProcess<Calls extends CallTable<Calls>, Event>(
  opened: Host<Calls, Event>,
): Link<Calls, Event> {
  let host: Host<Calls, Event> | undefined = opened;
  const closing = new AbortController();
  return {
    async call(name, request, { signal, onEvent } = {}) {
      if (!host) throw wrongState('The model is disposed.', 'model');
      throwIfAborted(signal);
      const either = anyOf([signal, closing.signal]);
      try {
        return await host.handle(name, request, either.signal, (event) => onEvent?.(event));
      } catch (error) {
        throwIfAborted(signal);
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

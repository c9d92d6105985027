import { disposedDuringWork, stoppedByClient, wrongState } from '../api/errors.js';
import { onAbort, throwIfAborted } from '../api/signals.js';
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
      // The host sees an error of ours, as in a worker: a caller's reason could pass for the module's own failure.
      const stopping = new AbortController();
      const stop = (): void => stopping.abort(stoppedByClient());
      const releases = [signal, closing.signal].map((each) => onAbort(each, stop));
      try {
        return await host.handle(name, request, stopping.signal, (event) => onEvent?.(event));
      } catch (error) {
        throwIfAborted(signal);
        if (closing.signal.aborted) throw disposedDuringWork();
        throw error;
      } finally {
        for (const release of releases) release();
      }
    },
    close() {
      closing.abort();
      host?.close();
      host = undefined;
    },
  };
}

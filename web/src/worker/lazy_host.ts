import type { CallTable, Host } from '../protocol/link.js';

/** A host whose code is loaded with the first call. */
export function lazyHost<Calls extends CallTable<Calls>, Event = never>(
  open: () => Promise<Host<Calls, Event>>,
): Host<Calls, Event> {
  let opened: Promise<Host<Calls, Event>> | undefined;
  return {
    async handle(name, request, signal, emit) {
      const host = await (opened ??= open());
      return host.handle(name, request, signal, emit);
    },
    close() {
      opened?.then(
        (host) => host.close(),
        () => undefined,
      );
    },
  };
}

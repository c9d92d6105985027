import type { CallTable, Link } from '../protocol/link.js';

/** A link to a module whose code is still being loaded. */
export function openLater<Calls extends CallTable<Calls>, Event>(
  opening: Promise<Link<Calls, Event>>,
): Link<Calls, Event> {
  return {
    call: async (name, request, options) => (await opening).call(name, request, options),
    close: () =>
      void opening.then(
        (link) => link.close(),
        () => undefined,
      ),
  };
}

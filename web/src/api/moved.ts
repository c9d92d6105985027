/** What lasts from `start` to `end`, in seconds, so many seconds later. */
export const movedBy =
  (seconds: number) =>
  <T extends { readonly start: number; readonly end: number }>(span: T): T => ({
    ...span,
    start: span.start + seconds,
    end: span.end + seconds,
  });

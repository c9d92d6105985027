import { sleep } from '../../src/api/signals.js';

const pollMilliseconds = 500;

export interface Waiting {
  /** Bytes that the others have so far. */
  readonly byteCount: () => Promise<number>;
  readonly onBytes: (byteCount: number) => void;
  /** How long they may get no further. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/** What `turn` gives, or undefined when those who are to be waited for get no further: a tab in the background may be suspended. */
export async function waitForTurn<T>(
  turn: Promise<T>,
  { byteCount, onBytes, patience, signal }: Waiting,
): Promise<T | undefined> {
  const got = turn.then((value) => ({ value }));
  let before = -1;
  for (let quiet = 0; quiet < patience; quiet += pollMilliseconds) {
    const done = await Promise.race([got, sleep(Math.min(pollMilliseconds, patience), signal)]);
    if (done) return done.value;
    const now = await byteCount();
    if (now === before) continue;
    before = now;
    quiet = 0;
    onBytes(now);
  }
  return undefined;
}

// Turns of the event loop as a measure of how soon something happens: the same on a fast machine and on a busy one.
import { afterEach } from '@jest/globals';

/** Lets so many turns go by. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; ++i) await new Promise<void>((done) => setImmediate(done));
}

/**
 * 0 to `count - 1` for what is tried at as many moments; four of them, first and last among them, unless SUSURRUS_TEST_ROUNDS is
 * 'all', as in `npm run test:steady`.
 */
export function rounds(count: number): number[] {
  const tried = process.env.SUSURRUS_TEST_ROUNDS === 'all' ? count : 4;
  return Array.from({ length: tried }, (_, i) => Math.round((i * (count - 1)) / (tried - 1)));
}

/** Counts turns until a promise is settled. */
export async function turnsUntil(settled: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const over = (): void => {
    state.isOver = true;
  };
  settled.then(over, over);
  let count = 0;
  for (; !state.isOver; ++count) await turns(1);
  return count;
}

/**
 * Lets every look at the clock find 20 ms gone, so that work in slices of time yields after each step, however fast the machine is.
 * Returns what sets the clock right again.
 */
export function leapClock(): () => void {
  const now = performance.now.bind(performance);
  let milliseconds = now();
  performance.now = () => (milliseconds += 20);
  return () => {
    performance.now = now;
  };
}

/** leapClock() for the rest of a test; called at the top of a file or of a `describe`. */
export function leapInTests(): () => void {
  let setClockRight = (): void => undefined;
  afterEach(() => {
    setClockRight();
    setClockRight = () => undefined;
  });
  return () => {
    setClockRight = leapClock();
  };
}

/** The most calls of `count` in one turn of the event loop while `work` runs. */
export async function mostInOneTurn(
  work: (count: () => void) => Promise<unknown>,
): Promise<number> {
  let inThisTurn = 0;
  let most = 0;
  const state = { isOver: false };
  // Begun first, so that each of its looks comes before the work of the same turn.
  const watching = (async () => {
    for (; !state.isOver; inThisTurn = 0) await turns(1);
  })();
  try {
    await work(() => {
      most = Math.max(most, ++inThisTurn);
    });
  } finally {
    state.isOver = true;
    await watching;
  }
  return most;
}

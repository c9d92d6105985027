// The way to the code for sealed files, which a page downloads when it is wanted. It is bundled by itself, so that its errors
// cross as those of workers do.
import { SusurrusError, toErrorMessage, type ErrorMessage } from '../errors.js';
import type * as Seal from './entry.js';

/** What came of something, an error being data. */
export type Outcome<T> =
  { readonly value: T } | { readonly error: ErrorMessage; readonly cause: unknown };

export const loadSeal = (): Promise<typeof Seal> => import('./entry.js');

/** The same work, whose errors of ours come as data. */
export const asOutcomes =
  <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<Outcome<T>> => {
    try {
      return { value: await work(...args) };
    } catch (error) {
      if (!(error instanceof SusurrusError)) throw error;
      return { error: toErrorMessage(error), cause: error.cause };
    }
  };

export function unwrapOutcome<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  const { code, message, details } = outcome.error;
  throw new SusurrusError(code, message, details, outcome.cause);
}

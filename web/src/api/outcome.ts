// Results that cross between two bundles of the package. `instanceof SusurrusError` fails across them, as each has a class of its
// own, so that errors are sent as data, as workers send them.
import { SusurrusError, toErrorMessage, type ErrorMessage } from './errors.js';

export type Outcome<T> =
  { readonly value: T } | { readonly error: ErrorMessage; readonly cause: unknown };

/** Wraps work so that it returns its SusurrusErrors as data. */
export const asOutcomes =
  <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<Outcome<T>> => {
    try {
      return { value: await work(...args) };
    } catch (error) {
      return toFailure(error);
    }
  };

/** Throws everything but a SusurrusError. */
export function toFailure(error: unknown): Outcome<never> {
  if (!(error instanceof SusurrusError)) throw error;
  return { error: toErrorMessage(error), cause: error.cause };
}

export function unwrapOutcome<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  const { code, message, details } = outcome.error;
  throw new SusurrusError(code, message, details, outcome.cause);
}

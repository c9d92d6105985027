// The one model or network in use, and how another takes its place.
import type { Model } from '../../src/index.js';
import type { OfferedModel } from './offered_models.js';

/** What is in use, or wants to be. */
export interface Occupant {
  readonly name: string;
  /** Where it is one of the list's. */
  readonly offered: OfferedModel | undefined;
  /** Undefined for a network. */
  readonly model?: Pick<Model, 'dispose'>;
  /** Shows it; called again where it had to leave for one that did not come. */
  readonly show: () => Promise<void>;
  readonly dispose: () => void;
}

interface Callbacks {
  /** Another is there; the one from before goes when this resolves. */
  readonly onLeave: () => Promise<void>;
  /** What was before goes. */
  readonly onGone: () => void;
  /** From here on this one is in use. */
  readonly onTaken: (occupant: Occupant) => void;
}

/** Holds the model in use: the one given last, in whatever order earlier ones finish. */
export class ModelPlace<Kept extends Occupant> {
  readonly #calls: Callbacks;
  #inUse: Kept | undefined;
  /** Whether the one in use was told to leave, although it is still there. */
  #hasLeft = false;

  constructor(calls: Callbacks) {
    this.#calls = calls;
  }

  get inUse(): Kept | undefined {
    return this.#inUse;
  }

  /** Disposes of `next` and throws the signal's reason when that is aborted while the one before leaves. */
  async give(next: Kept, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) {
      this.#hasLeft = true;
      await this.#calls.onLeave();
    }
    if (signal.aborted) {
      next.dispose();
      signal.throwIfAborted();
    }
    // No await until the exchange is complete: other callers see the old model or the new one.
    this.#hasLeft = false;
    this.#inUse?.model?.dispose();
    this.#inUse = next;
    this.#calls.onTaken(next);
    this.#calls.onGone();
    await next.show();
  }

  /** The next one does not come: what is there goes on. */
  async stay(): Promise<void> {
    if (!this.#hasLeft) return;
    this.#hasLeft = false;
    await this.#inUse?.show();
  }
}

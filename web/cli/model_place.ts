// The model that recordings share, and its end after its last user.
import type { MemoryFacts, Model } from '../src/node.js';

export interface Loaded {
  readonly model: Promise<Model>;
  /** As it was loaded. */
  readonly memory: Promise<MemoryFacts>;
  users: number;
  /** Whether its own engine has failed. */
  isSpent: boolean;
}

/** A model that several callers use: it is loaded when it is first wanted, and again after its own engine has failed. */
export class ModelPlace {
  readonly #load: (signal: AbortSignal) => Promise<Model>;
  /** The last is for whoever comes; others end with those who have them. */
  #loaded: Loaded[] = [];

  constructor(load: (signal: AbortSignal) => Promise<Model>) {
    this.#load = load;
  }

  take(signal: AbortSignal): Loaded {
    let last = this.#loaded.at(-1);
    if (!last || last.isSpent) {
      const model = this.#load(signal);
      const memory = model.then((loaded) => loaded.memory());
      memory.catch(() => undefined);
      last = { model, memory, users: 0, isSpent: false };
      this.#loaded.push(last);
    }
    ++last.users;
    return last;
  }

  async giveBack(taken: Loaded): Promise<void> {
    if (--taken.users > 0 || !taken.isSpent) return;
    this.#loaded = this.#loaded.filter((each) => each !== taken);
    await dispose(taken);
  }

  async close(): Promise<void> {
    await Promise.all(this.#loaded.splice(0).map(dispose));
  }
}

async function dispose({ model }: Loaded): Promise<void> {
  // Who waited for it has the error of its load.
  (await model.catch(() => undefined))?.dispose();
}

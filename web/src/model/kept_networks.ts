// Networks in a module of their own that stay with a model: started with their first recording, and kept for the next ones.
import { disposedDuringWork } from '../api/errors.js';
import { SharedWork } from '../api/shared_work.js';
import { throwIfAborted } from '../api/signals.js';

interface Networks {
  readonly link: { close(): void };
  /** Whether a call has failed: their worker or their memory may be gone. */
  isLost: boolean;
}

/** What the networks have of one recording or stream. */
interface Recording {
  /** Rejects where the networks are not there. */
  begin(): Promise<void>;
  close(): void;
}

/** What one recording or stream has of the networks. */
export interface NetworksUse<Kept extends Networks, Own extends Recording> {
  readonly networks: Kept;
  /** It is begun: the networks are there. */
  readonly recording: Own;
  /** Ends the use, not the networks. Calls after the first one do nothing. */
  readonly release: () => void;
}

/** Networks that are started, and how many recordings and streams use them. */
interface Started<Kept> {
  readonly networks: Kept;
  uses: number;
}

export class KeptNetworks<Kept extends Networks> {
  readonly #open: (signal: AbortSignal) => Promise<Kept>;
  #kept: Started<Kept> | undefined;
  #starting: SharedWork | undefined;
  #isClosed = false;

  constructor(open: (signal: AbortSignal) => Promise<Kept>) {
    this.#open = open;
  }

  /** Begins a recording, with networks that are started for it if need be. */
  async use<Own extends Recording>(
    recordingOf: (networks: Kept) => Own,
    signal: AbortSignal | undefined,
  ): Promise<NetworksUse<Kept, Own>> {
    for (;;) {
      throwIfAborted(signal);
      if (this.#kept) this.#leaveIfLost(this.#kept);
      const before = this.#kept;
      const kept = before ?? (await this.#started(signal));
      const use = this.#useOf(kept, recordingOf(kept.networks));
      try {
        await use.recording.begin();
        return use;
      } catch (error) {
        use.release();
        throwIfAborted(signal);
        if (this.#isClosed) throw disposedDuringWork();
        // Networks that were lost while they were kept are no failure of this recording.
        if (!before || !kept.networks.isLost) throw error;
      }
    }
  }

  /** Ends them for good; what is under way fails. */
  close(): void {
    this.#isClosed = true;
    this.#starting?.drop();
    this.#kept?.networks.link.close();
    this.#kept = undefined;
  }

  #useOf<Own extends Recording>(kept: Started<Kept>, recording: Own): NetworksUse<Kept, Own> {
    let isOver = false;
    ++kept.uses;
    return {
      networks: kept.networks,
      recording,
      release: () => {
        if (isOver) return;
        isOver = true;
        recording.close();
        --kept.uses;
        this.#leaveIfLost(kept);
      },
    };
  }

  /** New networks, the same for all who ask while they start. */
  async #started(signal: AbortSignal | undefined): Promise<Started<Kept>> {
    const starting = this.#starting?.isDropped === false ? this.#starting : this.#start();
    await starting.join(signal);
    // They may have been closed meanwhile.
    return this.#kept ?? this.#refuse();
  }

  #start(): SharedWork {
    if (this.#isClosed) this.#refuse();
    const starting = new SharedWork(async (dropped) => {
      try {
        const networks = await this.#open(dropped);
        if (dropped.aborted) networks.link.close();
        else this.#kept = { networks, uses: 0 };
      } catch (error) {
        throw this.#isClosed ? disposedDuringWork() : error;
      } finally {
        if (this.#starting === starting) this.#starting = undefined;
      }
    });
    return (this.#starting = starting);
  }

  /** Lost networks take no more recordings, and end when the last one that they have is over. */
  #leaveIfLost(kept: Started<Kept>): void {
    if (!kept.networks.isLost) return;
    if (this.#kept === kept) this.#kept = undefined;
    if (kept.uses === 0) kept.networks.link.close();
  }

  #refuse(): never {
    throw disposedDuringWork();
  }
}

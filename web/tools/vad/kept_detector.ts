// The detector of a model: started with its first recording, and kept for the next ones.
import { disposedDuringWork } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { VadOptions } from '../../src/api/types.js';
import { SharedWork } from '../../src/api/shared_work.js';
import type { Platform } from '../../src/platform/platform.js';
import type { KeptDetection, SilenceSkipper, SpeechGate } from '../../src/platform/speech.js';
import { DetectorSkipper } from './silence_skipping.js';
import { DetectorGate } from './speech_gate.js';
import {
  FrameReader,
  openSpeechNetwork,
  type DetectorUse,
  type SpeechNetwork,
} from './speech_network.js';
import { speechLimits, vadDefaults } from './vad_options.js';

/** A network that is started, and how many recordings and streams use it. */
interface Kept {
  readonly network: SpeechNetwork;
  uses: number;
}

export class KeptDetector implements KeptDetection {
  readonly #platform: Platform;
  #kept: Kept | undefined;
  #starting: SharedWork | undefined;
  #isClosed = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async openSkipper(vad: VadOptions, signal: AbortSignal | undefined): Promise<SilenceSkipper> {
    const limits = speechLimits(vad, vadDefaults.transcribe);
    return new DetectorSkipper(await this.#use(signal), limits);
  }

  async openGate(vad: VadOptions, signal: AbortSignal | undefined): Promise<SpeechGate> {
    const limits = speechLimits(vad, vadDefaults.live);
    return new DetectorGate(await this.#use(signal), limits, signal);
  }

  close(): void {
    this.#isClosed = true;
    this.#starting?.drop();
    this.#kept?.network.link.close();
    this.#kept = undefined;
  }

  async #use(signal: AbortSignal | undefined): Promise<DetectorUse> {
    for (;;) {
      throwIfAborted(signal);
      if (this.#kept) this.#leaveIfLost(this.#kept);
      const before = this.#kept;
      const kept = before ?? (await this.#started(signal));
      const use = this.#useOf(kept, signal);
      try {
        await use.frames.begin();
        return use;
      } catch (error) {
        use.release();
        throwIfAborted(signal);
        if (this.#isClosed) throw disposedDuringWork();
        // A detector that was lost while it was kept is no failure of this recording.
        if (!before || !kept.network.isLost) throw error;
      }
    }
  }

  #useOf(kept: Kept, signal: AbortSignal | undefined): DetectorUse {
    const { network } = kept;
    const frames = new FrameReader(network, signal);
    let isOver = false;
    ++kept.uses;
    return {
      network,
      frames,
      release: () => {
        if (isOver) return;
        isOver = true;
        frames.close();
        --kept.uses;
        this.#leaveIfLost(kept);
      },
    };
  }

  /** A new network, one for all who ask while it starts. */
  async #started(signal: AbortSignal | undefined): Promise<Kept> {
    const starting = this.#starting?.isDropped === false ? this.#starting : this.#start();
    await starting.join(signal);
    // It may have been closed meanwhile.
    return this.#kept ?? this.#refuse();
  }

  #start(): SharedWork {
    if (this.#isClosed) this.#refuse();
    const starting = new SharedWork(async (dropped) => {
      try {
        const network = await openSpeechNetwork(this.#platform, dropped);
        if (dropped.aborted) network.link.close();
        else this.#kept = { network, uses: 0 };
      } catch (error) {
        throw this.#isClosed ? disposedDuringWork() : error;
      } finally {
        if (this.#starting === starting) this.#starting = undefined;
      }
    });
    return (this.#starting = starting);
  }

  /** A lost network takes no more recordings, and ends when the last one that it has is over. */
  #leaveIfLost(kept: Kept): void {
    if (!kept.network.isLost) return;
    if (this.#kept === kept) this.#kept = undefined;
    if (kept.uses === 0) kept.network.link.close();
  }

  #refuse(): never {
    throw disposedDuringWork();
  }
}

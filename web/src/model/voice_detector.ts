// The voice detector of a model's transcriptions and streams: wanted by the caller, or the default.
import { disposedDuringWork } from '../api/errors.js';
import { throwIfAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { KeptDetection } from '../platform/speech.js';
import type { Companion } from './resting_engine.js';

/** Why a model hears everything although its caller did not say `vad: false`. */
const warningOf = (error: unknown): string =>
  'The voice detector could not be loaded, so this model hears silence too. Say vad: false to leave the detector out, or vad: true to ' +
  `have this as an error. ${error instanceof Error ? error.message : String(error)}`;

/**
 * Opens the detector, which stays with the model. Where its files cannot be had, the default goes on without it: they are tried once for a
 * model.
 */
export class VoiceDetector implements Companion {
  readonly #platform: Platform;
  /** Undefined until it is first used, and while the model sleeps. */
  #kept: KeptDetection | undefined;
  #isClosed = false;
  readonly #warn: (warning: string) => void;
  #isMissing = false;

  /** `warn` is called at most once; it must not keep the model alive, whose engine refers to this. */
  constructor(platform: Platform, warn: (warning: string) => void) {
    this.#platform = platform;
    this.#warn = warn;
  }

  /** What `open` makes with the detector; undefined where that fails and the caller did not ask for the detector. */
  async open<Opened>(
    isDefault: boolean,
    open: (detector: KeptDetection) => Promise<Opened>,
    signal: AbortSignal,
  ): Promise<Opened | undefined> {
    if (isDefault && this.#isMissing) return undefined;
    try {
      const { keepDetector } = await this.#platform.loadSilenceSkipping();
      if (this.#isClosed) throw disposedDuringWork();
      return await open((this.#kept ??= keepDetector(this.#platform)));
    } catch (error) {
      throwIfAborted(signal);
      if (!isDefault || this.#isClosed) throw error;
      if (!this.#isMissing) this.#warn(warningOf(error));
      this.#isMissing = true;
      return undefined;
    }
  }

  /** Ends the detector; the next recording starts another. */
  rest(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }

  /** Ends it for good. */
  close(): void {
    this.#isClosed = true;
    this.rest();
  }
}

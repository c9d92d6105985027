// The voice detector of a model's transcriptions and streams: wanted by the caller, or the default.
import { throwIfAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { SilenceSkipping } from '../platform/speech.js';

/** Why a model hears everything although its caller did not say `vad: false`. */
const warningOf = (error: unknown): string =>
  'The voice detector could not be loaded, so this model hears silence too. Say vad: false to leave the detector out, or vad: true to ' +
  `have this as an error. ${error instanceof Error ? error.message : String(error)}`;

/** Opens the detector. Where its files cannot be had, the default goes on without it: they are tried once for a model. */
export class VoiceDetector {
  readonly #platform: Platform;
  readonly #warn: (warning: string) => void;
  #isMissing = false;

  /** `warn` is called at most once. */
  constructor(platform: Platform, warn: (warning: string) => void) {
    this.#platform = platform;
    this.#warn = warn;
  }

  /** What `open` makes with the detector's code; undefined where that fails and the caller did not ask for the detector. */
  async open<Opened>(
    isDefault: boolean,
    open: (code: SilenceSkipping) => Promise<Opened>,
    signal: AbortSignal,
  ): Promise<Opened | undefined> {
    if (isDefault && this.#isMissing) return undefined;
    try {
      return await open(await this.#platform.loadSilenceSkipping());
    } catch (error) {
      throwIfAborted(signal);
      if (!isDefault) throw error;
      if (!this.#isMissing) this.#warn(warningOf(error));
      this.#isMissing = true;
      return undefined;
    }
  }
}

// susurrus/speakers: tells who speaks when in recordings of every kind.
import { checkAssets } from '../../src/api/assets.js';
import { wrongState } from '../../src/api/errors.js';
import { sampleRate } from '../../src/api/generated/whisper.js';
import {
  checkObject,
  checkOptions,
  oneOf,
  progressCheck,
  signalCheck,
} from '../../src/api/options.js';
import { transcribing } from '../../src/api/overall_progress.js';
import { withProgress } from '../../src/api/progress_callback.js';
import { anyOf } from '../../src/api/signals.js';
import type {
  AudioInput,
  AudioStream,
  FindSpeakersOptions,
  FoundSpeakers,
  LoadSpeakerFinderOptions,
} from '../../src/api/types.js';
import { openAudio, soundOf } from '../../src/audio/audio_feed.js';
import { checkAudio } from '../../src/audio/audio_kinds.js';
import { disposedOf, endWhenForgotten } from '../../src/model/forgotten.js';
import type { Platform } from '../../src/platform/platform.js';
import {
  openSpeakerNetworks,
  RecordingSpeakers,
  type SpeakerNetworks,
} from './speaker_networks.js';
import { modelCheck, speakerLimits } from './speaker_options.js';

/** Samples between two reports. */
const reportSamples = 10 * sampleRate;

/** The networks, loaded. They can process any number of recordings at the same time. */
export class SpeakerFinder {
  readonly #networks: SpeakerNetworks;
  readonly #platform: Platform;
  readonly #closing = new AbortController();

  /** @internal */
  constructor(networks: SpeakerNetworks, platform: Platform) {
    this.#networks = networks;
    this.#platform = platform;
    endWhenForgotten(this, networks.link);
  }

  /**
   * Returns who speaks when in a recording, or in a stream until its end.
   *
   * @throws SusurrusError `malformed`, `truncated_input`, `unknown_format` or `unsupported_feature` for a file that cannot be decoded;
   *   `source_failed` for a URL or stream that cannot be read; `invalid_argument` for wrong options or samples; `wrong_state` after dispose().
   *   An abort rejects with the signal's reason.
   * @example
   * ```js
   * const { turns } = await finder.find(file, { max: 4 });
   * for (const { speaker, start, end } of turns) console.log(speaker, start, end);
   * ```
   */
  async find(
    audio: AudioInput | AudioStream,
    options: FindSpeakersOptions = {},
  ): Promise<FoundSpeakers> {
    checkFindOptions(options);
    checkAudio(audio, true);
    this.#checkOpen();
    return withProgress(transcribing, options, async ({ signal: asked, onProgress, ...limits }) => {
      const { signal, release } = anyOf([asked, this.#closing.signal]);
      const recording = new RecordingSpeakers(this.#networks, limits, signal);
      try {
        const opened = await openAudio(audio, {
          engine: this.#networks.link,
          platform: this.#platform,
          holding: 'nothing',
          signal,
          onProgress,
        });
        const duration = 'samples' in opened ? opened.samples.length / sampleRate : opened.duration;
        let count = 0;
        for await (const piece of soundOf(opened, reportSamples)) {
          await recording.push(piece);
          count += piece.length;
          const loaded = count / sampleRate;
          onProgress?.({
            phase: 'transcribe',
            loaded,
            ...(duration !== undefined && {
              total: duration,
              fraction: duration > 0 ? Math.min(1, loaded / duration) : 1,
            }),
          });
        }
        return await recording.finish();
      } catch (error) {
        if (this.#closing.signal.aborted && !asked?.aborted) this.#checkOpen();
        throw error;
      } finally {
        release();
        recording.close();
      }
    });
  }

  /** Ends the networks and their worker. Calls under way and later ones fail with `wrong_state`. */
  dispose(): void {
    disposedOf(this);
    this.#closing.abort();
    this.#networks.link.close();
  }

  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw wrongState('The finder is disposed.', 'finder');
  }
}

function checkFindOptions(options: FindSpeakersOptions): void {
  checkObject(options);
  const { signal, onProgress, ...limits } = options;
  checkOptions({ signal, onProgress }, { signal: signalCheck, onProgress: progressCheck });
  speakerLimits(limits);
}

/** The functions of susurrus/speakers that need the networks; they are described there. */
export interface SpeakerFindingCalls {
  readonly findSpeakers: (
    audio: AudioInput | AudioStream,
    options: FindSpeakersOptions,
  ) => Promise<FoundSpeakers>;
  readonly loadSpeakerFinder: (options: LoadSpeakerFinderOptions) => Promise<SpeakerFinder>;
}

export function speakerFindingOn(usualPlatform: Platform): SpeakerFindingCalls {
  async function loadSpeakerFinder(options: LoadSpeakerFinderOptions = {}): Promise<SpeakerFinder> {
    checkOptions(options, {
      model: modelCheck,
      signal: signalCheck,
      variant: oneOf('simd', 'relaxed'),
      assets: ['an object', (value) => typeof value === 'object' && value !== null],
    });
    const { assets, ...networksOptions } = options;
    if (assets) checkAssets(assets);
    const platform = assets ? usualPlatform.withAssets(assets) : usualPlatform;
    return new SpeakerFinder(await openSpeakerNetworks(platform, networksOptions), platform);
  }

  async function findSpeakers(
    audio: AudioInput | AudioStream,
    options: FindSpeakersOptions = {},
  ): Promise<FoundSpeakers> {
    checkFindOptions(options);
    checkAudio(audio, true);
    const finder = await loadSpeakerFinder(options.signal ? { signal: options.signal } : {});
    try {
      return await finder.find(audio, options);
    } finally {
      finder.dispose();
    }
  }

  return { findSpeakers, loadSpeakerFinder };
}

// The networks of a model's transcriptions with speakers, which stay with the model.
import type { ModelSource, SpeakerOptions } from '../../src/api/types.js';
import { KeptNetworks } from '../../src/model/kept_networks.js';
import type { Platform } from '../../src/platform/platform.js';
import type { KeptSpeakerFinding, SpeakerSearch } from '../../src/platform/speakers.js';
import {
  openSpeakerNetworks,
  RecordingSpeakers,
  type SpeakerNetworks,
} from './speaker_networks.js';
import { speakerLimits } from './speaker_options.js';

export class KeptSpeakerNetworks implements KeptSpeakerFinding {
  readonly #platform: Platform;
  /** By where their file is: its address, or what it is read from. */
  readonly #kept = new Map<unknown, KeptNetworks<SpeakerNetworks>>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async open(
    options: SpeakerOptions,
    signal: AbortSignal | undefined,
    isLive: boolean,
  ): Promise<SpeakerSearch> {
    speakerLimits(options);
    const { recording, release } = await this.#from(options.model).use(
      (networks) => new RecordingSpeakers(networks, options, signal, isLive),
      signal,
    );
    return {
      push: (samples) => recording.push(samples),
      settle: () => recording.settle(),
      finish: () => recording.finish(),
      close: release,
    };
  }

  close(): void {
    for (const kept of this.#kept.values()) kept.close();
  }

  #from(model: ModelSource | undefined): KeptNetworks<SpeakerNetworks> {
    const place = model instanceof URL ? model.href : model;
    const kept =
      this.#kept.get(place) ??
      new KeptNetworks((signal) => openSpeakerNetworks(this.#platform, { model, signal }));
    this.#kept.set(place, kept);
    return kept;
  }
}

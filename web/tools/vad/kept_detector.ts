// The detector of a model, which stays with it.
import { KeptNetworks } from '../../src/model/kept_networks.js';
import type { VadOptions } from '../../src/api/types.js';
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

export class KeptDetector implements KeptDetection {
  readonly #kept: KeptNetworks<SpeechNetwork>;

  constructor(platform: Platform) {
    this.#kept = new KeptNetworks((signal) => openSpeechNetwork(platform, signal));
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
    this.#kept.close();
  }

  async #use(signal: AbortSignal | undefined): Promise<DetectorUse> {
    const { networks, recording, release } = await this.#kept.use(
      (network) => new FrameReader(network, signal),
      signal,
    );
    return { network: networks, frames: recording, release };
  }
}

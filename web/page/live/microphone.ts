import { checkOptions, flag, text } from '../../src/api/options.js';
import type { Assets } from '../../src/api/types.js';
import { ContextSound } from './context_sound.js';
import { microphoneError, missingHere } from './device_errors.js';
import type { Suspension, Sound, SoundMaker } from './sound.js';
import type { LiveSource, MicrophoneOptions } from './types.js';

/**
 * A microphone, for listen(). Each call of listen() requests it anew.
 *
 * @throws SusurrusError `invalid_argument` for wrong options.
 * @example
 * ```js
 * const listening = listen(model, microphone({ followDevice: true }));
 * for await (const { type } of listening) console.log(type, listening.level);
 * ```
 */
export function microphone(options: MicrophoneOptions = {}): LiveSource {
  checkOptions(options, {
    deviceId: text,
    echoCancellation: flag,
    noiseSuppression: flag,
    autoGainControl: flag,
    followDevice: flag,
  });
  return new Microphone(options);
}

class Microphone implements LiveSource, SoundMaker {
  readonly kind = 'microphone';
  readonly #options: MicrophoneOptions;

  constructor(options: MicrophoneOptions) {
    this.#options = options;
  }

  begin(assets: Assets | undefined): Sound {
    // Absent without a secure context, although TypeScript's library types it as always present.
    if (!(globalThis.navigator as Partial<Navigator> | undefined)?.mediaDevices) {
      throw missingHere(
        'There are no microphones here.',
        'Pages have them when they come over https or from localhost, and workers never.',
      );
    }
    return new MicrophoneSound(this.#options, assets);
  }
}

class MicrophoneSound extends ContextSound {
  readonly #options: MicrophoneOptions;
  #stream: MediaStream | undefined;
  #track: MediaStreamTrack | undefined;

  constructor(options: MicrophoneOptions, assets: Assets | undefined) {
    super(assets);
    this.#options = options;
  }

  protected override get suspension(): Suspension | undefined {
    return this.#track?.muted ? 'muted' : undefined;
  }

  protected override acquire(): Promise<void> {
    return this.#ask(this.#options.deviceId);
  }

  protected override async connect(): Promise<void> {
    if (this.#stream) await this.connectStream(this.#stream);
  }

  protected override release(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
  }

  async #ask(deviceId: string | undefined): Promise<void> {
    const { echoCancellation = true, noiseSuppression = false } = this.#options;
    const { autoGainControl = true } = this.#options;
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: {
          channelCount: 1,
          echoCancellation,
          noiseSuppression,
          autoGainControl,
          ...(deviceId !== undefined && { deviceId: { exact: deviceId } }),
        },
      });
    } catch (error) {
      throw microphoneError(error);
    }
    this.#stream = stream;
    // The source was closed before the user allowed access.
    if (this.isClosed) {
      this.release();
      return;
    }
    const [track] = stream.getAudioTracks();
    this.#track = track;
    track?.addEventListener('ended', () => void this.#replace());
    for (const name of ['mute', 'unmute']) {
      track?.addEventListener(name, () => this.tellHindrance());
    }
  }

  /** The device is gone. */
  async #replace(): Promise<void> {
    if (this.isClosed) return;
    if (!this.#options.followDevice) {
      this.end('device-lost');
      return;
    }
    this.sink?.restart();
    try {
      await this.#ask(undefined);
      await this.connect();
      this.tellHindrance();
    } catch {
      this.end('device-lost');
    }
  }
}

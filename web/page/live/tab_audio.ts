import type { Assets } from '../../src/api/types.js';
import { ContextSound } from './context_sound.js';
import { missingHere, nothingShared, tabError } from './device_errors.js';
import type { Sound, SoundMaker } from './sound.js';
import type { LiveSource } from './types.js';

/**
 * The audio of a tab that the user chooses, for listen(). Each call of listen() asks the user anew. Chromium shares the audio of tabs, and
 * on some systems that of the whole computer.
 *
 * @example
 * ```js
 * const listening = listen(model, tabAudio());
 * for await (const event of listening) if (event.type === 'final') console.log(event.text);
 * ```
 */
export const tabAudio = (): LiveSource => new TabAudio();

/** What TypeScript's library does not know yet. */
interface ShareOptions extends DisplayMediaStreamOptions {
  readonly systemAudio?: 'include' | 'exclude';
  readonly selfBrowserSurface?: 'include' | 'exclude';
  readonly surfaceSwitching?: 'include' | 'exclude';
}

class TabAudio implements LiveSource, SoundMaker {
  readonly kind = 'tab-audio';

  begin(assets: Assets | undefined): Sound {
    const { mediaDevices } = (globalThis.navigator as Partial<Navigator> | undefined) ?? {};
    if (!(mediaDevices as Partial<MediaDevices> | undefined)?.getDisplayMedia) {
      throw missingHere(
        'This browser shares no sound of tabs.',
        'Chromium, Chrome and Edge on a computer do, on pages that come over https or from localhost.',
      );
    }
    return new TabSound(assets);
  }
}

class TabSound extends ContextSound {
  #stream: MediaStream | undefined;

  protected override async acquire(): Promise<void> {
    const options: ShareOptions = {
      // Some browsers share no sound without a picture.
      video: true,
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      systemAudio: 'include',
      selfBrowserSurface: 'include',
      surfaceSwitching: 'include',
    };
    try {
      this.#stream = await navigator.mediaDevices.getDisplayMedia(options);
    } catch (error) {
      throw tabError(error);
    }
    const [track] = this.#stream.getAudioTracks();
    if (this.isClosed || !track) {
      this.release();
      throw nothingShared();
    }
    for (const picture of this.#stream.getVideoTracks()) picture.stop();
    track.addEventListener('ended', () => this.end('source-ended'));
  }

  protected override async connect(): Promise<void> {
    if (this.#stream) await this.connectStream(new MediaStream(this.#stream.getAudioTracks()));
  }

  protected override release(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
  }
}

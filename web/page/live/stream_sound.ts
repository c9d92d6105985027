// A MediaStream of the page, whose tracks are not stopped.
import { sourceFailed } from '../../src/api/errors.js';
import type { Assets } from '../../src/api/types.js';
import { ContextSound } from './context_sound.js';

export class StreamSound extends ContextSound {
  readonly #stream: MediaStream;
  readonly #tracks: readonly MediaStreamTrack[];
  readonly #onEnded = (): void => this.#check();

  constructor(stream: MediaStream, assets: Assets | undefined) {
    const tracks = stream.getAudioTracks();
    if (tracks.length === 0) throw sourceFailed('audio', 'this MediaStream has no audio track');
    super(assets);
    this.#stream = stream;
    this.#tracks = tracks;
  }

  protected override acquire(): Promise<void> {
    return Promise.resolve();
  }

  protected override async connect(): Promise<void> {
    for (const track of this.#tracks) track.addEventListener('ended', this.#onEnded);
    await this.connectStream(this.#stream);
    this.#check();
  }

  protected override release(): void {
    for (const track of this.#tracks) track.removeEventListener('ended', this.#onEnded);
  }

  /** A track that the page itself stops fires no event and continues with silence. */
  protected override onBlock(samples: Float32Array): void {
    super.onBlock(samples);
    this.#check();
  }

  #check(): void {
    const haveEnded = this.#tracks.every(({ readyState }) => readyState === 'ended');
    if (haveEnded && !this.isClosed) this.end('source-ended');
  }
}

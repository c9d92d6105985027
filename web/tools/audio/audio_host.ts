// Decodes one audio file in slices, in whichever thread it lives.
import type {
  AudioCalls,
  AudioFileFacts,
  DecodedPiece,
  EncodedFile,
} from '../../src/protocol/audio.js';
import type { Spent } from './blocks.js';
import { asSusurrusError, wrongState, type SusurrusError } from '../../src/api/errors.js';
import { ModuleHost, type Handlers } from '../../src/worker/module_host.js';

/** A file that is being decoded. */
export interface OpenedFile {
  readonly facts: AudioFileFacts;
  readonly pieces: AsyncGenerator<DecodedPiece, undefined>;
}

/** Opens a file whose decoder is at hand; else what is known of it. */
export type OpenFile = (
  file: EncodedFile,
  spent: Spent,
) => Promise<OpenedFile | { readonly facts: AudioFileFacts | undefined }>;

/** Pieces that are decoded and not fetched yet: some 20 s of stereo, so that the next window is there when the engine wants it. */
export const mostPieces = 8;

const end: DecodedPiece = { samples: new Float32Array(), sampleRate: 0, channels: 0 };

export class AudioHost extends ModuleHost<AudioCalls> {
  readonly #open: OpenFile;
  #pieces: AsyncGenerator<DecodedPiece, undefined> | undefined;
  readonly #ready: DecodedPiece[] = [];
  readonly #spent: Spent = [];
  /** How it ended, once it has. */
  #outcome: { readonly error?: SusurrusError } | undefined;
  #isDecoding = false;
  #wake = (): void => undefined;

  constructor(open: OpenFile) {
    super();
    this.#open = open;
  }

  close(): void {
    this.#outcome ??= {};
    this.#ready.length = 0;
    this.#wake();
    void this.#pieces?.return(undefined).catch(() => undefined);
  }

  protected readonly handlers: Handlers<AudioCalls, never> = {
    open: async ({ file }) => {
      const opened = await this.#open(file, this.#spent);
      if (!('pieces' in opened)) return { isDecoded: false, facts: opened.facts };
      this.#pieces = opened.pieces;
      if (this.#outcome) this.close();
      void this.#decodeAhead();
      return { isDecoded: true, facts: opened.facts };
    },
    read: async ({ spent }) => {
      if (spent) this.#spent.push(spent);
      if (!this.#pieces) throw wrongState('No audio file is open.', 'audio');
      while (this.#ready.length === 0 && !this.#outcome) {
        await new Promise<void>((woken) => (this.#wake = woken));
      }
      const piece = this.#ready.shift();
      void this.#decodeAhead();
      if (piece) return piece;
      if (this.#outcome?.error) throw this.#outcome.error;
      return end;
    },
  };

  #keep(piece: DecodedPiece): void {
    // It may have been closed meanwhile.
    if (!this.#outcome) this.#ready.push(piece);
  }

  async #decodeAhead(): Promise<void> {
    const pieces = this.#pieces;
    if (!pieces || this.#isDecoding) return;
    this.#isDecoding = true;
    try {
      while (this.#ready.length < mostPieces && !this.#outcome) {
        const step = await pieces.next();
        if (step.done) this.#outcome ??= {};
        else this.#keep(step.value);
        this.#wake();
      }
    } catch (error) {
      this.#outcome ??= { error: asSusurrusError(error) };
      this.#wake();
    } finally {
      this.#isDecoding = false;
    }
  }
}

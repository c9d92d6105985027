// What leaves out silence before a model hears a recording or a stream; the code for it is loaded when it is asked for.
import type { Segment, VadOptions } from '../api/types.js';
import type { Platform } from './platform.js';

/** 16 kHz mono: a recording, or sound that is pulled. */
export type HeardAudio =
  | { readonly samples: Float32Array; readonly isOwn: boolean }
  | {
      readonly chunks: { next(): Promise<IteratorResult<unknown>>; return?(): unknown };
      readonly duration?: number | undefined;
    };

export interface SkippingOptions {
  readonly vad: VadOptions;
  /** Start, end, start, end, … in seconds: all else is left out, too. */
  readonly clips: readonly number[] | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What is left of a recording, and where it was. */
export interface Skipped {
  readonly audio: HeardAudio;
  /** Of a recording; of a stream what was pulled so far. */
  readonly sampleCount: number;
  /** From the seconds of what is left to those of the recording. */
  timeOf(seconds: number): number;
  /** A segment with the times of the recording. */
  placed(segment: Segment): Segment;
  /** Ends the detector. */
  close(): void;
}

/** What becomes of sound on its way, in its order. */
export type LivePart =
  | { readonly type: 'speech'; readonly samples: Float32Array }
  /** The utterance before is over. */
  | { readonly type: 'end' }
  | { readonly type: 'silence'; readonly sampleCount: number };

/** Finds speech in sound on its way. */
export interface SpeechGate {
  /** Of 16 kHz mono: what has become certain. */
  push(samples: Float32Array): Promise<readonly LivePart[]>;
  /** The sound ends here, or is interrupted: what is still inside. */
  finish(): Promise<readonly LivePart[]>;
  close(): void;
}

export interface SilenceSkipping {
  /** Throws SusurrusError, for bad options of the detector too. */
  readonly skipSilence: (
    platform: Platform,
    audio: HeardAudio,
    options: SkippingOptions,
  ) => Promise<Skipped>;
  /** The same, for sound on its way. */
  readonly openSpeechGate: (
    platform: Platform,
    vad: VadOptions,
    signal: AbortSignal | undefined,
  ) => Promise<SpeechGate>;
}

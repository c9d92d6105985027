// Skips the silence of a recording or a stream before the model gets it. The code for that is loaded on demand.
import type { Segment, VadOptions } from '../api/types.js';
import type { Platform } from './platform.js';

/** Pieces of sound that are pulled. */
export interface SoundChunks {
  next(): Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** 16 kHz mono: a recording, or sound that is pulled. */
export type HeardAudio =
  | { readonly samples: Float32Array; readonly isOwn: boolean }
  | { readonly chunks: SoundChunks; readonly duration?: number | undefined };

export interface SkippingOptions {
  /** Start, end, start, end, … in seconds: everything else is skipped, too. */
  readonly clips: readonly number[] | undefined;
  /** Recordings up to this length pass through the detector before the model begins. Longer ones come in chunks, as the detector advances. */
  readonly mostHeldSeconds: number;
}

/** Where sound that remains of a recording was in it. */
export interface OriginalTimes {
  /** Converts seconds of the remaining sound to seconds of the recording. */
  timeOf(seconds: number): number;
  /** Returns a segment with the times of the recording. */
  placed(segment: Segment): Segment;
}

/** The audio that remains of a recording, and its original times. */
export interface Skipped extends OriginalTimes {
  readonly audio: HeardAudio;
  /** The recording's length; while it is pulled, what was pulled so far. */
  readonly sampleCount: number;
}

/** Sound of a recording that can be transcribed alone, and its original times: those of a segment are never behind a later chunk's start. */
export interface SpeechChunk extends OriginalTimes {
  /** 16 kHz mono, at most 60 s, its reader's own. */
  readonly samples: Float32Array;
  /** From where to where it is in the recording, in seconds, with the silence that is left out of it. */
  readonly start: number;
  readonly end: number;
}

/** A recording in chunks. */
export interface Chunked {
  /** What was pulled of the recording so far: its length, once there are no more chunks. */
  readonly sampleCount: number;
  /**
   * All that remains of the recording, in its order, cut at pauses. Several may ask at once. At most a minute of sound is processed before
   * it is asked for. However the loop ends, the recording gives back what it has in the detector; return() waits for nothing.
   */
  readonly chunks: AsyncGenerator<SpeechChunk, undefined, void>;
}

/** The detector's part in one recording. */
export interface SilenceSkipper {
  /** This or chunks() is called once. */
  skip(audio: HeardAudio, options: SkippingOptions): Promise<Skipped>;
  /**
   * Skips silence and cuts what remains into chunks of at most 60 s, cut at pauses. They depend on the sound alone, not on how it comes. A
   * recording with at most 60 s of such sound is one chunk; one in which nobody speaks has none.
   */
  chunks(audio: HeardAudio, options: Pick<SkippingOptions, 'clips'>): Chunked;
  /** Gives back what the recording has in the detector, which stays. */
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
  /** Takes 16 kHz mono samples; returns the parts that have become certain. */
  push(samples: Float32Array): Promise<readonly LivePart[]>;
  /** The sound ends here, or is interrupted: what is still inside. */
  finish(): Promise<readonly LivePart[]>;
  /** Gives back what the stream has in the detector, which stays. */
  close(): void;
}

/** The detector's code. Its functions throw SusurrusError, for bad options of the detector too. */
export interface SilenceSkipping {
  readonly keepDetector: (platform: Platform) => KeptDetection;
}

/**
 * A detector for any number of recordings and streams at a time, each with a state of its own. It starts with the first of them, and anew
 * when it was lost.
 */
export interface KeptDetection {
  openSkipper(vad: VadOptions, signal: AbortSignal | undefined): Promise<SilenceSkipper>;
  /** Opens the gate for live sound. */
  openGate(vad: VadOptions, signal: AbortSignal | undefined): Promise<SpeechGate>;
  /** Ends it for good; what is under way fails. */
  close(): void;
}

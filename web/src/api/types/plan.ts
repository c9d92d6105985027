// Options and result of plan().
import type { Dimensions } from '../generated/whisper.js';
import type { LoadOptions } from './load.js';

/**
 * The options that the model will be loaded with, so that one object serves both calls. Options that do not affect memory, such as
 * keys, are not used.
 */
export interface PlanOptions extends LoadOptions {
  /** Number of beams, or of concurrent samples, to plan memory for: 1 to 16; 5 if absent. */
  readonly beamSize?: number;
  /** Whether to count the voice detector, which transcribe() and stream() use unless told otherwise: `true` if absent. */
  readonly vad?: boolean;
  /** Whether to count what `stream({ revise: true })` takes: `false` if absent. */
  readonly revise?: boolean;
  /** Whether to count what telling the speakers apart takes: `false` if absent. */
  readonly speakers?: boolean;
}

/** What a model needs, in bytes. */
export interface ModelPlan {
  /** Bytes to fetch, for all files together; absent if the server does not report them. */
  readonly fetchBytes?: number;
  /** Bytes in the cache, of the model or of a partial download; `fetchBytes` does not include them. */
  readonly keptBytes: number;
  readonly dims: Dimensions;
  /** Bytes of the weights. This figure and the next two are what memory() returns once the model is loaded. */
  readonly weightBytes: number;
  readonly kvCacheBytes: number;
  readonly activationBytes: number;
  /** In use while a window is decoded with `beamSize` beams. */
  readonly sequenceBytes: number;
  /** In use, at most, while word times are computed. */
  readonly wordBytes: number;
  /** With `revise`: a second state of the model, with beams or word times of its own; otherwise 0. */
  readonly revisionBytes: number;
  /** The voice detector while it is in use, by a second hearing too; 0 with `vad: false`. It runs apart from the engine. */
  readonly detectorBytes: number;
  /** With `speakers`: their networks while a recording or stream of up to three hours is heard; otherwise 0. They run apart from the engine. */
  readonly speakersBytes: number;
  /** Memory of the engine itself, before a model is loaded. */
  readonly engineBytes: number;
  /** With a number of `workers`: the engines beside the first one, and the copy of its memory that calls make them from; otherwise 0. */
  readonly furtherBytes: number;
  /** Tokenizer, filterbank, windows for files and audio: an upper bound. Recordings take no more, however long they are. */
  readonly overheadBytes: number;
  /** Upper bound of the memory for loading and running: the engine's (`wasmBytes`), the detector's and the speakers'. */
  readonly peakBytes: number;
  readonly threads: number;
  readonly verdict: PlanVerdict;
}

/** Whether the model will run on this device. */
export interface PlanVerdict {
  /** `'unsure'`: memory may be tight, or the environment does not report enough. */
  readonly fits: 'yes' | 'no' | 'unsure';
  /** Sentences for the user. */
  readonly reasons: readonly string[];
}

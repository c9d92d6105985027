// What plan() reports of a model before it is fetched.
import type { Dimensions } from '../generated/whisper.js';
import type { LoadOptions } from './load.js';

/**
 * The options that the model will be loaded with, so that one object serves both calls. Those that change no memory, such as keys, are
 * not used.
 */
export interface PlanOptions extends LoadOptions {
  /** Beams, or samples at a time, that decoding shall have memory for: 1 to 16; 5 if absent. */
  readonly beamSize?: number;
}

/** What a model will take, in bytes. */
export interface ModelPlan {
  /** What has to be fetched, all files together; absent where the server does not say. */
  readonly fetchBytes?: number;
  /** What is here already, of the model or of a download that broke off; `fetchBytes` does not count it. */
  readonly keptBytes: number;
  readonly dims: Dimensions;
  /** Bytes of the weights. This figure and the next two are what memory() returns once the model is loaded. */
  readonly weightBytes: number;
  readonly kvCacheBytes: number;
  readonly activationBytes: number;
  /** Held while a window is decoded with `beamSize` beams. */
  readonly sequenceBytes: number;
  /** Held, at most, while the times of words are found. */
  readonly wordBytes: number;
  /** Memory of the engine itself, before a model is loaded. */
  readonly engineBytes: number;
  /** Tokenizer, filterbank, windows for files and audio: an upper bound. Recordings take no more, however long they are. */
  readonly overheadBytes: number;
  /** The most that the engine's memory grows to, loading and running included: its `wasmBytes` stay below. */
  readonly peakBytes: number;
  readonly threads: number;
  readonly verdict: PlanVerdict;
}

/** Whether the model will run on this device. */
export interface PlanVerdict {
  /** `'unsure'`: it may be tight, or the environment does not say enough. */
  readonly fits: 'yes' | 'no' | 'unsure';
  /** In words, for people. */
  readonly reasons: readonly string[];
}

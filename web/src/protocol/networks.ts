// Requests to the module that runs graphs: models of some families, and modules. Plain data both ways.
import type { EngineCalls, EngineEvent } from './engine.js';
import type { Link } from './link.js';

/** A tensor without its elements. */
export interface TensorFacts {
  /** Empty: the next one in order. */
  readonly name: string;
  /** `'f32'`, `'i64'`, `'bool'` … */
  readonly type: string;
  readonly shape: readonly number[];
}

/** Facts about a graph from its file. */
export interface GraphFacts {
  readonly format: string;
  readonly inputs: readonly {
    readonly name: string;
    readonly type?: string;
    /** null where a dimension is open. */
    readonly shape?: readonly (number | null)[];
  }[];
  readonly outputs: readonly string[];
  readonly warnings: readonly string[];
  readonly weightBytes: number;
}

/** What a run would do. */
export interface GraphDescription {
  readonly nodes: readonly {
    readonly op: string;
    readonly name: string;
    readonly inputs: readonly number[];
    readonly outputs: readonly { readonly type: string; readonly shape: readonly number[] }[];
    readonly cost: number;
  }[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly cost: number;
  readonly runBytes: number;
  readonly constantBytes: number;
}

export interface NetworksCalls extends EngineCalls, SpeechCalls, SpeakerCalls {
  /** After endFile(), instead of finishLoad(). */
  finishGraph: { request: undefined; answer: GraphFacts };
  describeGraph: {
    request: { readonly inputs: readonly TensorFacts[] };
    answer: GraphDescription;
  };
  /** Elements as bytes, row by row, little-endian. */
  runGraph: {
    request: { readonly inputs: readonly TensorFacts[]; readonly data: Uint8Array };
    answer: { readonly outputs: readonly TensorFacts[]; readonly data: Uint8Array };
  };
}

/** Calls of the speech detector, which computes the probability of speech. */
export interface SpeechCalls {
  /** A recording for this detector, a TenniS module (models/vad.tsm). Returns its number. */
  beginSpeech: { request: { readonly model: Uint8Array }; answer: number };
  /** Whole frames of 512 samples, but for a shorter one that ends the recording. Returns a probability of each. */
  hearSpeech: {
    request: { readonly id: number; readonly samples: Float32Array };
    answer: Float32Array;
  };
  endSpeech: { request: { readonly id: number }; answer: undefined };
}

/** How many speakers there may be; 0: as many as are found. */
export interface SpeakerLimits {
  readonly least: number;
  readonly most: number;
}

/** Who speaks when: turns as start and end in seconds and a speaker's index. */
export interface FoundVoices {
  /** Seconds of the recording that were heard. */
  readonly seconds: number;
  readonly turns: readonly (readonly [start: number, end: number, speaker: number])[];
  /** In the order in which they are first heard. `vector`: of length 1. */
  readonly speakers: readonly { readonly seconds: number; readonly vector: readonly number[] }[];
}

/** Calls of the networks that tell speakers apart. */
export interface SpeakerCalls {
  /** A piece of the networks' file, models/speakers.apr. */
  pushSpeakerModel: { request: { readonly bytes: Uint8Array }; answer: undefined };
  /** The file is complete. */
  endSpeakerModel: { request: undefined; answer: undefined };
  /** A recording. Returns its number. */
  beginSpeakers: {
    request: SpeakerLimits & {
      /** How many windows, which begin 2.5 s apart, are heard at once; 0: as many as fit. Fewer are heard sooner. */
      readonly windows: number;
    };
    answer: number;
  };
  /** Samples of 16 kHz, in order. */
  hearSpeakers: {
    request: { readonly id: number; readonly samples: Float32Array };
    answer: undefined;
  };
  /** The speakers of what was heard so far; more may follow. */
  settleSpeakers: { request: { readonly id: number }; answer: FoundVoices };
  /** The recording is over: its speakers. */
  findSpeakers: { request: { readonly id: number }; answer: FoundVoices };
  endSpeakers: { request: { readonly id: number }; answer: undefined };
}

export type NetworksLink = Link<NetworksCalls, EngineEvent>;

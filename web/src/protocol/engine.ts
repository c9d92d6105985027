// Requests to an engine and its answers: plain data, the same in process and in a worker.
import type {
  CandidateScore,
  DecodeResult,
  Dimensions,
  FilterbankChoice,
  LanguageProbability,
  LiveEvent,
  AnyLiveOptions,
  MemoryFacts,
  SavedTranscription,
  Segment,
  SpecialTokens,
  FrontEndOptions,
  TranscribeOptions,
  Transcript,
  Variant,
  Word,
} from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import type { BeamOptionValues } from '../api/generated/beam_options.js';
import type { Link, PartFile } from './link.js';

/** Facts that the engine reports about every loaded model. */
export interface CommonFacts {
  /** As in ModelInfo. */
  readonly family: string;
  readonly format: string;
  readonly dtypes: readonly string[];
  readonly warnings: readonly string[];
  readonly memoryPlan: Pick<MemoryFacts, 'weightBytes' | 'kvCacheBytes' | 'activationBytes'>;
}

/** Additional facts about a Whisper model. */
export interface WhisperFacts extends CommonFacts {
  readonly family: 'whisper';
  readonly dims: Dimensions;
  readonly multilingual: boolean;
  readonly special: SpecialTokens;
}

/** Additional facts about a model that runs as a graph. */
export interface NetworkFacts extends CommonFacts {
  readonly family: 'transducer' | 'acoustic';
  /** Code of the model's language, if the file states it. */
  readonly language?: string;
  readonly sampleRate: number;
  /** Whether it transcribes live audio. */
  readonly streams: boolean;
}

export type LoadedFacts = CommonFacts | WhisperFacts | NetworkFacts;

/** Checked options, as far as they are data; the core knows them by the same names. */
export type Settings = Omit<TranscribeOptions, 'signal' | 'onProgress' | 'from' | 'workers'> &
  FrontEndOptions &
  Omit<BeamOptionValues, 'beamSize'> & {
    /** A stream begins with so many samples whose loudness alone counts. What is transcribed follows, and times begin there. */
    readonly loudnessSamples?: number;
    /** A stream is heard again, to the text of a recording. */
    readonly heardAgain?: boolean;
  };

/** Checked options of stream(): of a Whisper, which decodes as transcribe() does, or of another family. */
export type LiveSettings =
  | (Pick<AnyLiveOptions, 'policy' | 'step'> & { readonly decode: Settings })
  | Pick<AnyLiveOptions, 'frontEnd' | keyof BeamOptionValues>;

/** At most one window of samples, and how to listen to it. */
interface WindowRequest {
  readonly samples: Float32Array;
  readonly settings: Settings;
}

/** What is converted: the bytes of a WAV file, or interleaved samples of any rate. */
export type AudioShape =
  | { readonly kind: 'wav' }
  | { readonly kind: 'samples'; readonly sampleRate: number; readonly channels: number };

/** An engine as it was. */
export interface EngineCopy {
  readonly memory: Uint8Array;
  /** Where the model is in it. */
  readonly model: number;
  /** Limit of the memory, where threads share it. */
  readonly mostBytes: number | undefined;
}

/** Every request with its answer. */
export interface EngineCalls extends CommonCalls, WhisperCalls, LiveCalls {}

/** What any engine is asked. */
export interface CommonCalls {
  start: {
    request: {
      readonly variant: Variant | undefined;
      readonly threads: number;
      /** An engine that the caller has compiled, instead of the package's own. */
      readonly module?: WebAssembly.Module | undefined;
    };
    answer: { readonly variant: Variant; readonly reason: string };
  };
  /**
   * For an engine with threads, instead of `pushLoad`, until the answer is not 0: the bytes that memory for this model has to be able
   * to grow to. Then `makeThreads` makes it; all calls since `start` are made once more.
   */
  pushHead: { request: { readonly bytes: Uint8Array }; answer: number };
  makeThreads: { request: { readonly mostBytes: number }; answer: undefined };
  /** The model's file, or the next one of those that belong to it. */
  beginFile: {
    request: {
      readonly byteCount: number | undefined;
      /** Packed as APR1 stores one; with the first file. */
      readonly vocabulary: Uint8Array | undefined;
      readonly filterbank: FilterbankChoice | undefined;
      /** What large matrices become in memory; of .april files. */
      readonly dtype?: string | undefined;
      /** With the first file: whether the model may be used while its weights arrive. */
      readonly early?: boolean | undefined;
      /** Behind a BW2L model, one after the other: its lexicon or its language model. */
      readonly text?: 'lexicon' | 'languageModel' | undefined;
      /** With the first file: the first text that follows. */
      readonly expectedText?: string | undefined;
    };
    answer: undefined;
  };
  /** Returns the facts when the model can be used early: once, or never. What is asked of it then waits for what it needs. */
  pushLoad: { request: { readonly bytes: Uint8Array }; answer: LoadedFacts | undefined };
  /** The files that belong to the one that ends: the shards of a manifest, once. */
  endFile: { request: undefined; answer: readonly PartFile[] };
  /** All files are verified. Returns the facts, which now are all known. */
  finishLoad: { request: undefined; answer: LoadedFacts };
  /** To 16 kHz mono, piece by piece; any number of conversions may be under way. Returns the conversion's number. */
  beginConversion: { request: AudioShape; answer: number };
  /** Returns how many samples wait to be taken, and the piece, whose memory can be used again. */
  convertPiece: {
    request: { readonly id: number; readonly piece: Uint8Array | Float32Array };
    answer: { readonly ready: number; readonly piece: Uint8Array | Float32Array };
  };
  takeConverted: { request: { readonly id: number }; answer: Float32Array };
  /** The audio ends here. Returns the samples that were not taken yet. */
  endConversion: { request: { readonly id: number }; answer: Float32Array };
  /** The audio is not wanted any more. */
  dropConversion: { request: { readonly id: number }; answer: undefined };
  transcribe: {
    /** Without samples: a stream, for which the engine asks with `audioWanted`. */
    request: {
      readonly samples: Float32Array | undefined;
      readonly settings: Settings;
      /** State of an earlier transcription, with its tokens, to continue from. */
      readonly state: SavedTranscription['state'] | undefined;
      /** Which one `pause` is about. */
      readonly run: number;
      /** How many of its threads the engine uses; absent: all. */
      readonly threads?: number | undefined;
      /** A stream's length according to its file, used only for progress. */
      readonly expectedSeconds?: number | undefined;
      /** A Whisper works on this beside other calls, on a state of its own, whenever none of them needs it. */
      readonly beside?: boolean | undefined;
    };
    answer: HeardLanguages & {
      readonly text: string;
      readonly language: string;
      /** Seconds of audio, as far as the engine wanted it. */
      readonly duration: number;
    };
  };
  /** The answer to `audioWanted`: as many samples, or fewer where the stream ends. */
  feedAudio: {
    request: { readonly run: number; readonly samples: Float32Array };
    answer: undefined;
  };
  /** Holds up that transcription, or lets it go on. */
  pause: { request: { readonly run: number; readonly isPaused: boolean }; answer: undefined };
  memory: { request: undefined; answer: MemoryFacts };
}

/** Sound while it comes, for models that stream. */
export interface LiveCalls {
  /** Returns the stream's number. */
  beginLive: { request: { readonly settings: LiveSettings }; answer: number };
  /** Takes 16 kHz mono samples. Returns the events so far. */
  feedLive: {
    request: { readonly id: number; readonly samples: Float32Array };
    answer: readonly LiveEvent[];
  };
  /** Brings out what is still inside. */
  flushLive: { request: { readonly id: number }; answer: readonly LiveEvent[] };
  /** So many samples are left out, behind a flush. */
  skipLive: {
    request: { readonly id: number; readonly sampleCount: number };
    answer: readonly LiveEvent[];
  };
  endLive: { request: { readonly id: number }; answer: undefined };
}

/** Requests for Whisper alone; engines of other families reject them. */
export interface WhisperCalls {
  logMel: {
    request: { readonly samples: Float32Array; readonly mode: 'window' | 'whole' };
    answer: { readonly data: Float32Array; readonly nMels: number; readonly nFrames: number };
  };
  encode: { request: { readonly mel: Float32Array }; answer: Float32Array };
  logits: { request: { readonly tokens: Uint32Array }; answer: Float32Array };
  /** The engine's memory with its model, whatever it is doing; for `adopt` of an engine of the same binary that was only started. */
  copy: { request: undefined; answer: EngineCopy };
  /** `threads`: with which the new engine works, where the binary has threads. */
  adopt: { request: EngineCopy & { readonly threads: number }; answer: LoadedFacts };
  tokenize: { request: { readonly text: string }; answer: number[] };
  detokenize: { request: { readonly tokens: Uint32Array }; answer: string };
  decode: { request: WindowRequest; answer: DecodeResult };
  detectLanguage: { request: WindowRequest; answer: LanguageProbability[] };
  score: {
    request: WindowRequest & { readonly candidates: readonly string[] };
    answer: CandidateScore[];
  };
  align: { request: WindowRequest & { readonly text: string }; answer: Word[] };
}

/** What is known of a transcript's languages. */
export type HeardLanguages = Pick<Transcript, 'languageProbability' | 'languages'>;

/** Events of a running request. */
export type EngineEvent =
  /** What came of a window, and where a later transcription may go on after it. */
  | {
      readonly type: 'window';
      readonly segments: readonly Segment[];
      readonly rejected: readonly Segment[];
      readonly state: SavedTranscription['state'] | undefined;
      readonly languages: HeardLanguages;
    }
  | { readonly type: 'progress'; readonly progress: TranscriptionProgress }
  /** A window is encoded, and its text waits for the rest of the model. */
  | { readonly type: 'modelAwaited' }
  /** The next samples of the stream, which feedAudio gives. */
  | { readonly type: 'audioWanted'; readonly sampleCount: number };

/** In seconds of audio; total, fraction and the rest of the time while they are known. */
export type TranscriptionProgress = Omit<PhaseProgress, 'phase'>;

export type EngineLink = Link<EngineCalls, EngineEvent>;

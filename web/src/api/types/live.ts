// Sound to text while it comes.
import type { BeamOptionValues } from '../generated/beam_options.js';
import type { Hotword } from '../generated/options.js';
import type { Word } from './transcribe.js';
import type { VadOptions } from './vad.js';

/** The features of .april models. */
export interface FrontEndOptions {
  /** Features as the published models were trained with, or as the package april-asr 0.0.4 makes them. */
  readonly frontEnd?: 'standard' | 'april-asr-0.0.4';
}

/** Options of a Whisper's stream(). */
export interface WhisperLiveOptions extends LiveOptions {
  /** A code; `'auto'` detects it in the first utterance, `'per-utterance'` in each. */
  readonly language?: string;
  /** The only codes that detection considers. */
  readonly languages?: readonly string[];
  readonly task?: 'transcribe' | 'translate';
  /** Names, spelling, style: stands before the first words. */
  readonly initialPrompt?: string | readonly number[];
  readonly hotwords?: readonly Hotword[];
  /** Whether what was said prompts what comes next: true unless given. */
  readonly conditionOnPreviousText?: boolean;
  /**
   * When words are committed: with `'attention'`, once the model attends to audio far enough from the end (AlignAtt); with `'agreement'`,
   * once hypotheses in a row agree (LocalAgreement).
   */
  readonly policy?: 'attention' | 'agreement';
  /** Seconds of new speech after which there is a new hypothesis. */
  readonly step?: number;
}

/** Options of an .april model's stream(). */
export interface TransducerLiveOptions extends LiveOptions, FrontEndOptions {}

/** Options of a BW2L model's stream(). */
export interface AcousticLiveOptions extends LiveOptions, BeamOptionValues {}

/** Options of stream() in code that takes a model of any family, which rejects those that it does not have. */
export type AnyLiveOptions = WhisperLiveOptions & TransducerLiveOptions & AcousticLiveOptions;

/** Options that stream() has for every model. */
export interface LiveOptions {
  /** Sample rate of the mono samples that are fed, in Hz; 16000 unless given. */
  readonly sampleRate?: number;
  /** Ends the stream, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with each event of the type `'lag'`. */
  readonly onLag?: (event: LiveLag) => void;
  /** Seconds of audio that may wait for the model; older audio is skipped, and a `'lag'` event says so. No limit unless given. */
  readonly maxLag?: number | null;
  /**
   * Whether the voice detector skips audio without speech and finds the pauses where utterances end; or the detector's limits. Unless
   * given, `true` for Whisper models and `false` for .april and BW2L models, which then process all audio as it comes.
   */
  readonly vad?: boolean | VadOptions;
}

/** An event of live transcription. Times are seconds of the audio that was fed. */
export type LiveEvent = LiveText | LiveSilence | LiveLag;

/** Text, so far or for good. */
export interface LiveText {
  /** `'partial'` replaces the partial with the same id; `'final'` never changes, and ends its id. */
  readonly type: 'partial' | 'final';
  /** Rises from one final event to the next. */
  readonly id: number;
  /** Sound behind the event. */
  readonly time: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly Word[];
  /** How many of `words`, from the first one on, will never change: all of a final text; none of a partial of .april and BW2L models. */
  readonly committed: number;
  /** Language code, for Whisper models. */
  readonly language?: string;
  readonly tokens: readonly LiveToken[];
}

/** A token of such a text. */
export interface LiveToken {
  readonly id: number;
  readonly text: string;
  readonly time: number;
  /**
   * Whisper: the logarithm of its word's probability. .april: the joiner's logit, 8 less while the token is only tentative. BW2L: the
   * logarithm of its probability.
   */
  readonly score: number;
  readonly beginsWord: boolean;
  readonly endsSentence: boolean;
}

/** Nothing was said for a while. */
export interface LiveSilence {
  readonly type: 'silence';
  /** Id of the next text. */
  readonly id: number;
  readonly time: number;
}

/** The model is behind the sound, caught up again (`lag` is below a second), has left sound out, or waits for a paused transcription. */
export interface LiveLag {
  readonly type: 'lag';
  /** Id of the current text, or of the next one. */
  readonly id: number;
  /** Sound behind the event. */
  readonly time: number;
  /** Seconds of sound that wait. */
  readonly lag: number;
  /** A transcription of this Whisper model is paused and keeps its turn: the stream waits until it continues or ends. */
  readonly waitsForPaused?: true;
  /** Seconds of sound that were left out, unheard. */
  readonly skipped?: { readonly start: number; readonly end: number };
}

/**
 * Sound on its way into text. Iterating gives the events in order; also a TransformStream, from arrays of samples to events. Without
 * `maxLag` nothing is dropped: `lag` tells who feeds faster than the model computes, and awaiting feed() slows them down.
 * Calls are done in their order, awaited or not.
 */
export interface LiveTranscription extends AsyncIterable<LiveEvent> {
  /** Copies mono samples, -1 to 1, and resolves when they are processed. Bad samples are rejected with their position. */
  feed(samples: Float32Array | Int16Array): Promise<void>;
  /** Brings out what is still inside, without ending the stream: at the end of a sentence, say. */
  flush(): Promise<void>;
  /** Processes what was fed before, then clears the state: times and ids restart. Unread events stay. */
  reset(): Promise<void>;
  /** flush(), then the events end; to be called when no more sound comes. The model can be used for other things again. */
  close(): Promise<void>;
  /** Begins close() and does not wait for it, for `using`; the loop over the events throws what goes wrong. */
  [Symbol.dispose](): void;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Seconds of audio that were fed and are not processed yet. */
  readonly lag: number;
  readonly writable: WritableStream<Float32Array | Int16Array>;
  readonly readable: ReadableStream<LiveEvent>;
}

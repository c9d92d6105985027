// Live transcription.
import type { BeamOptionValues } from '../generated/beam_options.js';
import type { Hotword } from '../generated/options.js';
import type { Speaker, SpeakerOptions } from './speakers.js';
import type { Word } from './transcribe.js';
import type { VadOptions } from './vad.js';

/** The features of .april models. */
export interface FrontEndOptions {
  /** Features as the published models were trained with, or as the package april-asr 0.0.4 makes them. */
  readonly frontEnd?: 'standard' | 'april-asr-0.0.4';
}

/** Options of a Whisper's stream(). */
export interface WhisperLiveOptions extends LiveOptions {
  /** A code, name or tag; `'auto'` detects one language for the stream, `'per-utterance'` one for each utterance. */
  readonly language?: string;
  /** The only languages that detection considers. */
  readonly languages?: readonly string[];
  /**
   * With `'per-utterance'`: change the language only if the new one is at least this probable, 0 to 1, or its text is the more probable one;
   * 0.5 by default.
   */
  readonly minLanguageProbability?: number;
  /** All Chinese text in these characters, as for transcribe(); a committed word stays as it was written. */
  readonly script?: 'simplified' | 'traditional';
  readonly task?: 'transcribe' | 'translate';
  /** Text before the first words: names, spelling, style. */
  readonly initialPrompt?: string | readonly number[];
  readonly hotwords?: readonly Hotword[];
  /** Whether earlier text prompts the next, and the last seconds before a pause are heard with what follows; `true` by default. */
  readonly conditionOnPreviousText?: boolean;
  /**
   * When words are committed: with `'attention'`, once the model attends to audio far enough from the end (AlignAtt); with `'agreement'`,
   * once hypotheses in a row agree (LocalAgreement).
   */
  readonly policy?: 'attention' | 'agreement';
  /** Seconds of new speech after which there is a new hypothesis. */
  readonly step?: number;
  /**
   * Whether the model hears finished speech again while it is idle, as transcribe() would, and tells what changes in `'revised'` events;
   * close() waits for the last of them. Takes the memory of `kvCacheBytes` and `activationBytes` once more.
   */
  readonly revise?: boolean;
}

/** Options of an .april model's stream(). */
export interface TransducerLiveOptions extends LiveOptions, FrontEndOptions {}

/** Options of a BW2L model's stream(). */
export interface AcousticLiveOptions extends LiveOptions, BeamOptionValues {}

/** Options of stream() for code that takes a model of any family. A model rejects the options of other families. */
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
  /**
   * Tells the speakers apart: `'speakers'` events say whose the final texts are. `true`, or how many people there may be. It works beside the
   * model in a worker of its own and fetches two networks for that (`models/speakers.apr`, 9 MB). It never delays a caption: where the device
   * is a minute behind with it, it ends with a warning of the model. close() waits for the last of its events.
   */
  readonly speakers?: boolean | SpeakerOptions;
}

/** An event of live transcription. Times are seconds of the audio that was fed. */
export type LiveEvent =
  LiveText | LiveRevision | LiveSpeakers | LiveSilence | LiveLanguage | LiveLag;

/** Text that may still change (`'partial'`) or is final. */
export interface LiveText {
  /** `'partial'` replaces the partial with the same id; `'final'` never changes, and ends its id. */
  readonly type: 'partial' | 'final';
  /** Rises from one final event to the next. */
  readonly id: number;
  /** Seconds of audio that were processed when the event was emitted. */
  readonly time: number;
  readonly start: number;
  readonly end: number;
  /** All of what is said with this id, not only what is new. */
  readonly text: string;
  readonly words: readonly Word[];
  /** How many of `words`, from the first one on, will never change: all of a final text; none of a partial of .april and BW2L models. */
  readonly committed: number;
  /** Language code, for Whisper models. */
  readonly language?: string;
  readonly tokens: readonly LiveToken[];
}

/** With `revise`: what the model heard when it heard final texts again. It comes up to half a minute of speech after them. */
export interface LiveRevision {
  readonly type: 'revised';
  /** Id of the current text, or of the next one. */
  readonly id: number;
  readonly time: number;
  readonly start: number;
  readonly end: number;
  /** Ids of the final texts, one after the other, whose place `segments` take; none for speech that was missed. Each is replaced once at most. */
  readonly replaces: readonly number[];
  /** Empty: nothing was said. */
  readonly segments: readonly RevisedText[];
}

/** A text of the second hearing, or a part of a text. */
export interface RevisedText extends Pick<
  LiveText,
  'start' | 'end' | 'text' | 'words' | 'language'
> {
  /** In `'speakers'` events: whose it is. */
  readonly speaker?: string;
}

/**
 * With `speakers`: whose final texts are. It comes about ten seconds after them, since voices are heard in windows of that length, and again when what is
 * heard later changes it. Who got an `id` keeps it. The last one, before close() resolves, is of the whole stream.
 */
export interface LiveSpeakers {
  readonly type: 'speakers';
  /** Id of the current text, or of the next one. */
  readonly id: number;
  readonly time: number;
  /** Seconds of the stream in which voices were heard. */
  readonly until: number;
  /** Only those of which it is new. */
  readonly texts: readonly SpokenText[];
  /** All of them so far, in the order in which they are first heard. */
  readonly speakers: readonly Speaker[];
}

/** A final or revised text of a stream, and whose it is. */
export interface SpokenText {
  readonly start: number;
  readonly end: number;
  /** Its id, or what the `'revised'` event that brought it `replaces`. */
  readonly ids: readonly number[];
  /** All of it, divided where the speaker changes; words have their `speaker`, too. */
  readonly segments: readonly RevisedText[];
}

/** A token of a live text. */
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

/**
 * A Whisper model has detected the language of the text that follows, has changed it, or is sure of it. With `'auto'` the language stays open
 * until 15 s of speech or more agree: a wrong beginning is corrected with the next utterance, and what was emitted before stays.
 */
export interface LiveLanguage {
  readonly type: 'language';
  /** Id of the text that follows. */
  readonly id: number;
  readonly time: number;
  /** Language code. */
  readonly language: string;
  /** 0 to 1. With `'auto'` the share of the speech so far, by its length, that detection gives to this language. */
  readonly probability: number;
}

/** There was no speech for a while. */
export interface LiveSilence {
  readonly type: 'silence';
  /** Id of the next text. */
  readonly id: number;
  readonly time: number;
}

/** The model is behind the audio, has caught up (`lag` is below a second), has skipped audio, or waits for a paused transcription. */
export interface LiveLag {
  readonly type: 'lag';
  /** Id of the current text, or of the next one. */
  readonly id: number;
  /** Seconds of audio that were processed when the event was emitted. */
  readonly time: number;
  /** Seconds of audio that wait for the model. */
  readonly lag: number;
  /** A paused transcription keeps its turn on this Whisper model: the stream waits until it resumes or ends. */
  readonly waitsForPaused?: true;
  /** Start and end of the audio that was skipped, in seconds. */
  readonly skipped?: { readonly start: number; readonly end: number };
}

/**
 * A live transcription. Iterating yields its events in order. `writable` and `readable` make it a TransformStream from arrays of samples to
 * events. Without `maxLag` no audio is dropped: `lag` shows whether the caller feeds faster than the model computes, and awaiting
 * feed() slows the caller down. Calls are processed in order, awaited or not.
 *
 * The first error ends the stream: the calls under way, all later ones and the loop over the events reject with it. It is what the model
 * failed with, what `onLag` threw, or the signal's reason.
 */
export interface LiveTranscription extends AsyncIterable<LiveEvent> {
  /**
   * Copies mono samples, -1 to 1, and resolves when they are processed; await it for back-pressure.
   *
   * @throws SusurrusError `invalid_argument` for samples that are NaN, infinite or beyond ±1000, with their position; `wrong_state` after close();
   *   `aborted` after the model's dispose(); otherwise the error that ended the stream. An abort rejects with the signal's reason.
   * @example
   * ```js
   * for (let at = 0; at < samples.length; at += 1600) await live.feed(samples.subarray(at, at + 1600));
   * await live.close();
   * ```
   */
  feed(samples: Float32Array | Int16Array): Promise<void>;
  /**
   * Emits the pending text as final, without ending the stream; at the end of a sentence, for example.
   *
   * @throws SusurrusError `wrong_state` after close(); otherwise as feed().
   */
  flush(): Promise<void>;
  /**
   * Processes what was fed before, then clears the state: times and ids restart at 0. Unread events stay.
   *
   * @throws SusurrusError `wrong_state` after close(); otherwise as feed().
   */
  reset(): Promise<void>;
  /**
   * Emits the pending text, ends the events and frees the stream's memory in the engine. Call it when there is no more audio. Further calls
   * resolve.
   *
   * @throws SusurrusError as feed(), if the pending audio cannot be processed: `out_of_memory`, for example.
   */
  close(): Promise<void>;
  /** Begins close() without waiting for it, for `using`; errors end the loop over the events. */
  [Symbol.dispose](): void;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Seconds of audio that were fed and are not processed yet. */
  readonly lag: number;
  /** The last `'language'` event; undefined before the first one, and where the language was given. */
  readonly language: LiveLanguage | undefined;
  readonly writable: WritableStream<Float32Array | Int16Array>;
  readonly readable: ReadableStream<LiveEvent>;
}

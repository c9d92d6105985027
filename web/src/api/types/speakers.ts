// Who speaks when: susurrus/speakers.
import type { Assets, Variant } from './load.js';
import type { Progress } from './progress.js';
import type { ModelSource } from './source.js';

/** A stretch in which one person speaks, in seconds of the recording. Turns of several people may overlap. */
export interface SpeakerTurn {
  readonly start: number;
  readonly end: number;
  /** Whose it is: the `id` of a speaker. */
  readonly speaker: string;
}

/** One of the people who speak in a recording. */
export interface Speaker {
  /** `'S1'`, `'S2'` … in the order in which they are first heard, or the name that identify() or renameSpeakers() gave. */
  readonly id: string;
  /** Length of the turns in all. */
  readonly seconds: number;
  /**
   * The voice as 192 numbers of length 1, for identify(); only with `vectors: true`. It can recognise a person: in many countries the law
   * asks for that person's consent before you keep it.
   */
  readonly vector?: readonly number[];
}

/** Who speaks when in a recording. */
export interface FoundSpeakers {
  /** In the order of their starts. */
  readonly turns: readonly SpeakerTurn[];
  readonly speakers: readonly Speaker[];
  /** Seconds of audio. */
  readonly duration: number;
}

/** How many people speak in a recording, where that is known. */
export interface SpeakerCount {
  /** Exactly so many, 1 to 100, as far as the recording has so many voices. */
  readonly count?: number;
  /** At least so many. */
  readonly min?: number;
  /** At most so many. */
  readonly max?: number;
}

/** The option `speakers` of transcribe(). */
export interface SpeakerOptions extends SpeakerCount {
  /**
   * The networks' file: `models/speakers.apr` of the package if absent. Bundlers do not copy that file, so a bundled site names it here; the
   * package `susurrus-model-speakers` has its URL.
   */
  readonly model?: ModelSource;
  /** Adds the `vector` of each speaker to the transcript. */
  readonly vectors?: boolean;
}

/** Options of a search for speakers. */
export interface FindSpeakersOptions extends Omit<SpeakerOptions, 'model'> {
  /** Stops the work; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Reports the seconds of audio that were heard. An exception stops the work. */
  readonly onProgress?: (event: Progress) => void;
}

/** Options of loadSpeakerFinder(). */
export interface LoadSpeakerFinderOptions {
  /** The networks' file, as `speakers.model` of transcribe(). */
  readonly model?: ModelSource;
  readonly signal?: AbortSignal;
  /** The binary to use; by default the fastest that runs here. */
  readonly variant?: Variant;
  /** Where the package's own files are. */
  readonly assets?: Assets;
}

/** Voices that are known, by name: vectors of speakers that were found with `vectors: true`. Without those, identify() throws. */
export type KnownVoices = Readonly<Record<string, Speaker['vector'] | undefined>>;

// Speech detection: susurrus/vad.
import type { Assets, Variant } from './load.js';

/**
 * Limits of Silero's voice detector. Times are seconds. Defaults differ by task: `susurrus/vad` has those of Silero's own function;
 * `transcribe()` skips only long silence, so that no word is lost and windows can end in pauses; `stream()` ends an utterance at a short
 * pause, so that its text is final soon.
 */
export interface VadOptions {
  /** Speech begins at this probability: above 0, at most 1; 0.5 if absent. */
  readonly threshold?: number;
  /** Silence begins below this one; `threshold` − 0.15, but at least 0.01, if absent. */
  readonly negativeThreshold?: number;
  /** Shorter speech is ignored; 0.25 if absent, 0 for `transcribe()`, 0.1 for `stream()`. */
  readonly minSpeechDuration?: number;
  /** Longer speech is split, at its longest pause if it has one; `null`, for no limit, if absent. */
  readonly maxSpeechDuration?: number | null;
  /** Shorter silence does not end speech; 0.1 if absent, 2 for `transcribe()`, 0.5 for `stream()`. */
  readonly minSilenceDuration?: number;
  /** Added before speech and behind it; 0.03 if absent, 0.4 for `transcribe()`, 0.25 for `stream()`. */
  readonly speechPad?: number;
}

/** Speech, in seconds of the recording. */
export interface SpeechRange {
  readonly start: number;
  readonly end: number;
}

/** The start or end of a speech range, while the recording is still arriving. */
export interface SpeechEvent {
  readonly type: 'start' | 'end';
  /** Seconds of the recording. */
  readonly time: number;
}

/** Options of speech detection. */
export interface DetectOptions extends VadOptions {
  /** Stops the work; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the speech probability of each 32 ms. An exception stops the work. */
  readonly onProbability?: (probability: number, time: number) => void;
}

/** Options of loadSpeechDetector(). */
export interface LoadDetectorOptions {
  readonly signal?: AbortSignal;
  /** The binary to use; by default the fastest that runs here. */
  readonly variant?: Variant;
  /** Where the package's own files are. */
  readonly assets?: Assets;
}

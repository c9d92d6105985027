/**
 * Speech detection: the ranges of a recording or stream in which there is speech.
 * @module susurrus/vad
 */
import { browser } from './browser_platform.js';
import type {
  AudioInput,
  AudioStream,
  DetectOptions,
  LoadDetectorOptions,
  SpeechRange,
} from './api/types.js';
import { speechDetectionOn, type SpeechDetector } from '../tools/vad/speech_detector.js';

export { SusurrusError } from './api/errors.js';
export type {
  AudioInput,
  AudioStream,
  DetectOptions,
  LoadDetectorOptions,
  SpeechEvent,
  SpeechRange,
  VadOptions,
} from './api/types.js';
export type { SpeechDetector } from '../tools/vad/speech_detector.js';

const detection = speechDetectionOn(browser);

/**
 * Returns the ranges of speech in a recording, or in a stream until its end, as Silero's get_speech_timestamps() does. It downloads the
 * detector, runs it and disposes of it; loadSpeechDetector() keeps it for many recordings.
 *
 * @returns Start and end of each range, in seconds.
 * @throws SusurrusError `invalid_argument` for a wrong option; `malformed`, `unknown_format` or `unsupported_feature` for audio that cannot be
 *   decoded; `source_failed` where the detector's files are missing. An abort rejects with the signal's reason.
 * @example
 * ```js
 * for (const { start, end } of await detectSpeech(file)) console.log(start, end);
 * ```
 */
export function detectSpeech(
  audio: AudioInput | AudioStream,
  options: DetectOptions = {},
): Promise<readonly SpeechRange[]> {
  return detection.detectSpeech(audio, options);
}

/**
 * Loads the detector, for many recordings and for live sound. Call `dispose()` on it when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option, `source_failed` where the detector's files are missing. An abort rejects with the
 *   signal's reason.
 * @example
 * ```js
 * const detector = await loadSpeechDetector();
 * for await (const { type, time } of detector.events(file)) console.log(type, time);
 * detector.dispose();
 * ```
 */
export function loadSpeechDetector(options: LoadDetectorOptions = {}): Promise<SpeechDetector> {
  return detection.loadSpeechDetector(options);
}

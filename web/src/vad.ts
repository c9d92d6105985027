/**
 * Where somebody speaks.
 * @module susurrus/vad
 */
import type {
  AudioInput,
  AudioStream,
  DetectOptions,
  LoadDetectorOptions,
  SpeechRange,
} from './api/types.js';
import { browser } from './browser_platform.js';
import {
  detectSpeechOn,
  loadSpeechDetectorOn,
  type SpeechDetector,
} from '../tools/vad/speech_detector.js';

export { SusurrusError } from './api/errors.js';
export type {
  DetectOptions,
  LoadDetectorOptions,
  SpeechEvent,
  SpeechRange,
  VadOptions,
} from './api/types.js';
export type { SpeechDetector } from '../tools/vad/speech_detector.js';

/**
 * The ranges in which somebody speaks, as Silero's get_speech_timestamps() has them, of a recording of any kind or a stream until its
 * end. Fetches the detector. Throws SusurrusError.
 */
export function detectSpeech(
  audio: AudioInput | AudioStream,
  options: DetectOptions = {},
): Promise<readonly SpeechRange[]> {
  return detectSpeechOn(browser, audio, options);
}

/** Loads the detector, for many recordings and for sound while it comes. Throws SusurrusError. */
export function loadSpeechDetector(options: LoadDetectorOptions = {}): Promise<SpeechDetector> {
  return loadSpeechDetectorOn(browser, options);
}

/**
 * Speech detection: the ranges of a recording or stream in which there is speech.
 * @module susurrus/vad
 */
import { browser } from './browser_platform.js';
import { speechDetectionOn } from '../tools/vad/speech_detector.js';

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
export type { SpeechDetection, SpeechDetector } from '../tools/vad/speech_detector.js';

export const { detectSpeech, loadSpeechDetector } = speechDetectionOn(browser);

// What transcribe({ vad }) and stream({ vad }) load: a bundle of its own.
import type { Platform } from '../../src/platform/platform.js';
import type { KeptDetection } from '../../src/platform/speech.js';
import { KeptDetector } from './kept_detector.js';

/** A detector that starts with its first recording. */
export const keepDetector = (platform: Platform): KeptDetection => new KeptDetector(platform);

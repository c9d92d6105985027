// susurrus/vad in Node.
import { node } from './node_platform.js';
import { speechDetectionOn } from '../tools/vad/speech_detector.js';

export { SusurrusError } from './api/errors.js';
export type * from './vad.js';

export const { detectSpeech, loadSpeechDetector } = speechDetectionOn(node);

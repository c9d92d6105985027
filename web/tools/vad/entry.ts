// What transcribe({ vad }) loads: a bundle of its own.
export { skipSilence } from './silence_skipping.js';

// What transcribe({ vad }) and stream({ vad }) load: a bundle of its own.
export { openSilenceSkipper } from './silence_skipping.js';
export { openSpeechGate } from './speech_gate.js';

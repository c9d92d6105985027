/**
 * Live text from a microphone, a tab, a media element or a stream.
 * @module susurrus/live
 */
export { listen } from './live/listen.js';
export { microphone } from './live/microphone.js';
export { tabAudio } from './live/tab_audio.js';
export { attachLiveCaptions } from './live/live_captions.js';
export type { LiveCaptions, LiveCaptionsOptions } from './live/live_captions.js';
export type {
  ListenOptions,
  ListenReason,
  ListenSource,
  ListenState,
  ListenStatus,
  Listening,
  LiveSource,
  LiveStream,
  MicrophoneOptions,
  StreamingModel,
} from './live/types.js';

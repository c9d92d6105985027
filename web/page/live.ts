/**
 * Text while somebody speaks: from a microphone, a tab, a media element, a stream.
 * @module susurrus/live
 */
export { listen } from './live/listen.js';
export { microphone } from './live/microphone.js';
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

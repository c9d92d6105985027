/**
 * Captions of a `<video>` or `<audio>`.
 * @module susurrus/captions
 */
export { attachTextTrack } from './text_track.js';
export type { AttachedTextTrack, TextTrackOptions } from './text_track.js';
export { defineCaptions } from './captions_element.js';
export type { CaptionsElement } from './captions_element.js';

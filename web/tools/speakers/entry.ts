// What transcribe({ speakers }) loads: a bundle of its own.
import type { Platform } from '../../src/platform/platform.js';
import type { KeptSpeakerFinding } from '../../src/platform/speakers.js';
import { KeptSpeakerNetworks } from './kept_speaker_finding.js';

export { assignSpeakers } from './assign_speakers.js';

/** Networks that start with their first recording. */
export const keepSpeakerFinding = (platform: Platform): KeptSpeakerFinding =>
  new KeptSpeakerNetworks(platform);

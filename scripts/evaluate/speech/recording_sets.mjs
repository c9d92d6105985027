// The recordings that can be evaluated, by the name of their set.
import { clipSet } from './clip_set.mjs';
import { sharedRecordings } from './shared_recordings.mjs';
import { speechSet } from './speech_set.mjs';

/** @type {Readonly<Record<string, () => { name: string; samples: Float32Array; truth?: string; reference?: string }[]>>} */
export const recordingSets = {
  /** Mostly longer than a window. */
  recordings: () => [...speechSet(), ...sharedRecordings()],
  /** All shorter than a window. */
  clips: clipSet,
};

// The recordings that can be evaluated, by the name of their set.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { clipSet } from './clip_set.mjs';
import { sharedRecordings } from './shared_recordings.mjs';
import { speechSet } from './speech_set.mjs';
import { stories } from './stories.mjs';

/** @type {Readonly<Record<string, () => { name: string; samples: Float32Array; truth?: string; reference?: string }[]>>} */
export const recordingSets = {
  /** Mostly longer than a window. */
  recordings: () => [...speechSet(), ...sharedRecordings()],
  /** All shorter than a window. */
  clips: clipSet,
  /** Ten minutes each, in several languages. */
  stories,
  /** For --quick: one that is in the repository. */
  quick: () => [
    {
      name: 'sentences.wav',
      samples: wavSamples(readFileSync(join(root, 'web/demo/sentences.wav'))),
      truth:
        'The ship left the harbor in the morning. By evening the wind had turned, and the captain decided to wait ' +
        'for better weather. Nobody on board complained, because the soup was very good.',
    },
  ],
};

// The shared recordings of real people, with what was said where that is known.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root, StepError } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';

const truths = {
  'jfk.wav':
    'And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country.',
  'austen_0870.wav':
    'And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.',
  'austen_0880.wav': 'He was not an ill disposed young man.',
  'austen_0920.wav':
    'Had he married a more amiable woman, he might have been made still more respectable than he was.',
  'cards_1.wav': 'Ten of clubs.',
  'goforward.wav': 'Go forward ten meters.',
};

/**
 * Every recording of the shared folder. `truth` where it is known; `reference` is what openai-whisper hears with tiny.en's
 * weights in float32, `referenceWords` when.
 * @returns {{ name: string; samples: Float32Array; truth?: string; reference: string;
 *   referenceWords: { word: string; start: number; end: number }[] }[]}
 */
export function sharedRecordings() {
  const shared = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared');
  const audio = join(shared, 'recordings/audio');
  const expected = join(shared, 'trained/expected/tiny.en.json');
  for (const path of [audio, expected]) {
    if (!existsSync(path)) {
      throw new StepError(
        `${path} is wanted, and is not there.`,
        'SUSURRUS_SHARED names its folder.',
      );
    }
  }
  const references = JSON.parse(readFileSync(expected, 'utf8'));
  return readdirSync(audio)
    .filter((name) => name.endsWith('.wav'))
    .sort()
    .map((name) => ({
      name,
      samples: wavSamples(readFileSync(join(audio, name))),
      truth: truths[name],
      reference: references[name].text,
      referenceWords: references[name].segments.flatMap((segment) => segment.words),
    }));
}

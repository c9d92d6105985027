// How many speakers there may be: checked options.
import type { SpeakerOptions } from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import { checkOptions, flag, wholeBetween, type Check } from '../../src/api/options.js';
import type { SpeakerLimits } from '../../src/protocol/networks.js';

/** People in a recording. */
const mostSpeakers = 100;

/** Where the networks are: opening it finds out what is wrong with it. */
export const modelCheck: Check = ['a model file', (value) => value !== null && value !== ''];

const count = wholeBetween(1, mostSpeakers);
const checks = { count, min: count, max: count, vectors: flag, model: modelCheck };

/** How many speakers the options allow; 0: as many as are found. */
export function speakerLimits(options: SpeakerOptions): SpeakerLimits {
  checkOptions(options, checks);
  const { count: exact, min, max } = options;
  for (const [name, value] of Object.entries({ min, max })) {
    if (exact === undefined || value === undefined) continue;
    throw invalidOption(name, 'absent beside count', value);
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw invalidOption('min', `at most ${max}, which is max`, min);
  }
  return { least: exact ?? min ?? 0, most: exact ?? max ?? 0 };
}

import { frequencyBins, sampleRate } from '../../src/api/generated/whisper.js';
import { invalidOption } from '../../src/api/errors.js';
import {
  checkOptions,
  oneOf,
  signalCheck,
  wholeBetween,
  type Check,
} from '../../src/api/options.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import type { Filterbank, Mel, SamplesLogMelOptions } from '../../src/api/types.js';
import type { Platform } from '../../src/platform/platform.js';

/** More than any model has; the core's own limit. */
const mostBands = 1024;
const usualBands = 80;

export async function logMelOn(
  platform: Platform,
  samples: Float32Array,
  options: SamplesLogMelOptions,
): Promise<Mel> {
  if (!(samples instanceof Float32Array)) {
    throw invalidOption('samples', `a Float32Array: mono, ${sampleRate} Hz`, samples);
  }
  checkOptions(options, {
    filterbank: filterbankCheck,
    nMels: wholeBetween(1, mostBands),
    mode: oneOf('window', 'whole'),
    signal: signalCheck,
  });
  const { filterbank, mode = 'window', signal } = options;
  const nMels = options.nMels ?? filterbank?.shape[0] ?? usualBands;
  if (filterbank && filterbank.shape[0] !== nMels) {
    throw invalidOption('nMels', `left out, or the filterbank's ${filterbank.shape[0]}`, nMels);
  }
  throwIfAborted(signal);
  const files = platform.openFiles();
  try {
    await files.call('start', undefined, { signal });
    const request = { samples, mode, nMels, filterbank: filterbank?.values };
    return await files.call('logMel', request, { signal });
  } catch (error) {
    throw abortedOr(signal, error);
  } finally {
    files.close();
  }
}

const filterbankCheck: Check = [
  `{shape: [bands, ${frequencyBins}], values}: a Float32Array of finite weights, none below 0`,
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const { shape, values } = value as Partial<Filterbank>;
    if (!Array.isArray(shape) || !(values instanceof Float32Array)) return false;
    const [bands, bins] = shape as readonly unknown[];
    return (
      Number.isInteger(bands) &&
      (bands as number) >= 1 &&
      (bands as number) <= mostBands &&
      bins === frequencyBins &&
      values.length === (bands as number) * frequencyBins &&
      values.every((weight) => weight >= 0 && weight < Infinity)
    );
  },
];

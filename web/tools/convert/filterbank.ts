import { SusurrusError } from '../../src/api/errors.js';
import type { FilesModule } from '../files/module.js';
import { frequencyBins as bins } from '../../src/api/generated/whisper.js';
import { badFile, type JsonObject } from './json_files.js';

const file = 'preprocessor_config.json';

/** The folder's own filterbank, [n_mels, 201]; early folders have one, later ones leave it to the formula. */
export function filterbankOf(
  preprocessor: JsonObject | undefined,
  nMels: number,
): Float32Array | undefined {
  const rows = preprocessor?.mel_filters;
  if (rows === undefined || rows === null) return undefined;
  const isMatrix = (rowCount: number, columnCount: number): boolean =>
    Array.isArray(rows) &&
    rows.length === rowCount &&
    rows.every((row: unknown) => Array.isArray(row) && row.length === columnCount);
  const isTransposed = isMatrix(bins, nMels);
  if (!isTransposed && !isMatrix(nMels, bins)) {
    throw badFile(file, `mel_filters is not ${nMels} × ${bins}`, 'bad_filterbank');
  }
  const matrix = rows as number[][];
  return Float32Array.from({ length: nMels * bins }, (_, i) => {
    const mel = Math.floor(i / bins);
    const bin = i % bins;
    const weight = isTransposed ? matrix[bin]?.[mel] : matrix[mel]?.[bin];
    if (typeof weight !== 'number' || !(weight >= 0) || !Number.isFinite(Math.fround(weight))) {
      const problem = 'mel_filters holds what is no number, negative or infinite';
      throw badFile(file, problem, 'bad_filterbank');
    }
    return weight;
  });
}

/** Slaney's, as the core computes it. */
export function slaneyFilterbank(module: FilesModule, nMels: number): Float32Array {
  const filterbank = new module.Filterbank(nMels);
  try {
    const values = filterbank.values().slice();
    if (values.length === nMels * bins) return values;
    throw new SusurrusError('out_of_memory', 'There is no memory for a filterbank.', {
      reason: 'memory',
      subject: 'mel_filterbank',
    });
  } finally {
    filterbank.delete();
  }
}

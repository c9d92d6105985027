import type { Watched } from '../../src/api/progress_callback.js';
import type { ConvertOptions } from '../../src/api/types.js';
import {
  checkOptions,
  filterbankCheck,
  flag,
  oneOf,
  progressCheck,
  rankFile,
  signalCheck,
  type Check,
} from '../../src/api/options.js';
import { alignmentCheck, shardSizeCheck } from './model_files.js';
import { outputFormats } from '../../src/api/generated/formats.js';
import { dtypesOf } from './weight_types.js';

export interface SourceOptions extends Watched<ConvertOptions> {
  /** The only one that is taken. */
  readonly sourceFormat?: string;
}

const isFile = (value: unknown): boolean =>
  typeof value === 'string' ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob;

export function checkConvertOptions(options: ConvertOptions): void {
  const { format = 'apr2' } = options;
  const dtypes: readonly string[] = dtypesOf(format);
  const onlyOf = (isThere: boolean, check: Check): Check =>
    isThere ? check : [`left out: ${format} has no such`, () => false];
  checkOptions(options, {
    format: oneOf(...outputFormats),
    dtype: [
      `one of ${dtypes.join(', ')}`,
      (value) => typeof value === 'string' && dtypes.includes(value),
    ],
    compress: onlyOf(format === 'apr2' || format === 'apr1', oneOf('lz4', 'none')),
    vocabulary: rankFile,
    filterbank: filterbankCheck,
    metadata: ['a path, or the bytes of a config.json', isFile],
    shardSize: onlyOf(format === 'apr2', shardSizeCheck),
    alignment: onlyOf(format === 'apr2', alignmentCheck),
    force: flag,
    onProgress: progressCheck,
    signal: signalCheck,
  });
}

type Named = string | URL;

/** The options with the contents of the files that they name, which `read` returns. */
export async function withFiles<Options extends Pick<ConvertOptions, 'vocabulary' | 'metadata'>>(
  options: Options,
  read: (name: Named) => Promise<Uint8Array>,
): Promise<Options> {
  const contents = async <T>(given: T | Named): Promise<T | File> =>
    typeof given === 'string' || given instanceof URL
      ? new File([(await read(given)).slice()], String(given))
      : given;
  const { vocabulary, metadata } = options;
  return {
    ...options,
    ...(vocabulary !== undefined && { vocabulary: await contents(vocabulary) }),
    ...(metadata !== undefined && { metadata: await contents(metadata) }),
  };
}

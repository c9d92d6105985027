// One tensor of a model whose description was read: its bytes in parts, and what they become.
import type { InspectedStatistics, InspectedTensor } from '../../src/api/types.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { SusurrusError } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { FilesLink, TensorPiece } from '../../src/protocol/files.js';
import type { SkimmedModel, TensorPlace } from './skim.js';

export interface TensorSource {
  readonly files: FilesLink;
  readonly folder: SourceFolder;
  readonly signal?: AbortSignal | undefined;
  /** For files whose bytes are verified or decrypted first. */
  readonly protection?: TensorProtection | undefined;
}

export interface TensorProtection {
  /** What becomes of a tensor whose bytes are read from `folder`; undefined where it is as it is stored. */
  open(
    place: TensorPlace,
    tensor: InspectedTensor,
    folder: SourceFolder,
  ): Promise<{ readonly byteCount: number; readonly bytes: AsyncIterable<Uint8Array> } | undefined>;
  /** The range of the file to read for a tensor: more than its own bytes if whole pieces are verified. */
  range(
    place: TensorPlace,
    tensor: InspectedTensor,
  ): Promise<{ readonly begin: number; readonly end: number }>;
}

export function readTensor(
  source: TensorSource,
  place: TensorPlace,
  tensor: InspectedTensor,
): AsyncIterable<TensorPiece> {
  return piecesOf(source, place, tensor, false);
}

async function* piecesOf(
  { files, folder, signal, protection }: TensorSource,
  place: TensorPlace,
  tensor: InspectedTensor,
  counts: boolean,
): AsyncGenerator<TensorPiece, InspectedStatistics | undefined> {
  const { file, request } = place;
  const { offset, size } = tensor;
  const opened = await protection?.open(place, tensor, folder);
  const isDecrypted = opened && opened.byteCount !== size && 'model' in request;
  await files.call('beginTensor', {
    tensor: isDecrypted ? { ...request, byteCount: opened.byteCount } : request,
    counts,
  });
  for await (const bytes of opened?.bytes ?? folder.read(file, offset, size)) {
    throwIfAborted(signal);
    yield await files.call('pushTensor', { bytes });
  }
  return files.call('endTensor', undefined);
}

/** Adds statistics to all tensors that are numbers, reading them in the order of the files. */
export async function withStatistics(
  source: TensorSource,
  { facts, places }: SkimmedModel,
  onProgress: (loaded: number, total: number) => void,
): Promise<SkimmedModel['facts']> {
  refuseEncrypted(facts.flags);
  const total = facts.tensors.reduce((sum, { size }) => sum + size, 0);
  let loaded = 0;
  const tensors = [...facts.tensors];
  for (const at of inFileOrder(facts.tensors)) {
    const [tensor, place] = [facts.tensors[at], places[at]];
    if (!tensor || !place) continue;
    const statistics = await countTensor(source, place, tensor);
    if (statistics) tensors[at] = { ...tensor, statistics };
    loaded += tensor.size;
    onProgress(loaded, total);
  }
  return { ...facts, tensors };
}

async function countTensor(
  source: TensorSource,
  place: TensorPlace,
  tensor: InspectedTensor,
): Promise<InspectedStatistics | undefined> {
  const pieces = piecesOf(source, place, tensor, true);
  try {
    for (;;) {
      const step = await pieces.next();
      if (step.done) return step.value;
    }
  } catch (error) {
    // Texts and the like have no statistics.
    const isNoNumbers =
      error instanceof SusurrusError && error.details.reason === 'unsupported_dtype';
    if (isNoNumbers) return undefined;
    throw error;
  }
}

/** Indices of tensors, file by file in the order of their bytes. */
export function inFileOrder(tensors: readonly InspectedTensor[]): number[] {
  const key = (at: number): readonly [number, number] => {
    const tensor = tensors[at];
    return [tensor?.shard ?? 0, tensor?.offset ?? 0];
  };
  return [...tensors.keys()].sort((a, b) => {
    const [[shardA, offsetA], [shardB, offsetB]] = [key(a), key(b)];
    return shardA - shardB || offsetA - offsetB;
  });
}

export function refuseEncrypted(flags: readonly string[]): void {
  if (!flags.includes('ENCRYPTED')) return;
  throw new SusurrusError('decryption_failed', 'The tensors are encrypted, and no key was given.', {
    reason: 'decrypt',
    subject: 'ENCRYPTED',
    expected: 'a key, or a file that is not encrypted',
  });
}

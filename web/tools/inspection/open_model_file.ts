import type {
  InspectedTensor,
  Inspection,
  ModelFile,
  ModelSource,
  ModelTensor,
  OpenModelOptions,
} from '../../src/api/types.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { sourceFailed, SusurrusError, wrongState } from '../../src/api/errors.js';
import { protectedTensors } from './protected_tensors.js';
import { tensorFinder } from './find_tensor.js';
import { inFileOrder, readTensor, refuseEncrypted, type TensorSource } from './read_tensor.js';
import { atMost, fetchRange, isStreamed, rangesOf } from './read_together.js';
import { readFilterbank, readVocabulary } from './read_vocabulary.js';
import { findSection, readSection } from './read_section.js';
import { skimModel, type SkimmedModel, type TensorPlace } from './skim.js';
import { namesLike } from '../../src/api/near_names.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { Platform } from '../../src/platform/platform.js';
import { anyWork } from '../../src/api/overall_progress.js';
import { withProgress } from '../../src/api/progress_callback.js';
import { checkCryptoOptions, cryptoOptionChecks } from '../../src/sources/crypto_options.js';
import { openRanges } from '../../src/sources/open_ranges.js';
import { abortedOr, onAbort, throwIfAborted } from '../../src/api/signals.js';
import { withOrigin } from '../../src/sources/pump.js';
import { release } from '../../src/sources/read_source.js';
import { withoutRanges } from '../../src/sources/url_folder.js';

export async function openModelFileOn(
  platform: Platform,
  source: ModelSource,
  options: OpenModelOptions,
): Promise<ModelFile> {
  return (await openWithSource(platform, source, options)).file;
}

/** Also returns the folder that the bytes are read from. */
export async function openWithSource(
  platform: Platform,
  source: ModelSource,
  options: OpenModelOptions,
): Promise<{ readonly file: ModelFile; readonly folder: SourceFolder }> {
  checkOptions(options, {
    tensors: flag,
    onProgress: progressCheck,
    signal: signalCheck,
    key: cryptoOptionChecks.key,
  });
  const { signal, key } = options;
  if (key !== undefined) await checkCryptoOptions({ key });
  throwIfAborted(signal);
  const opened = await openRanges(source, platform, signal);
  if (!opened.folder) {
    const { whole } = opened;
    if (whole) release(whole);
    throw whole
      ? withoutRanges(whole.name ?? 'source')
      : sourceFailed('source', 'it can only be read forwards; give a path, a URL, a Blob or bytes');
  }
  const { folder, origin } = opened;
  const files = platform.openFiles();
  const stopListening = onAbort(signal, () => files.close());
  const close = (): void => {
    stopListening();
    files.close();
  };
  try {
    await files.call('start', undefined);
    const skimmed = await withProgress(anyWork, options, (watched) =>
      skimModel(files, folder, watched),
    );
    const { facts } = skimmed;
    const protection = protectedTensors(platform, folder, facts, key);
    const has = { key: key !== undefined, tensors: options.tensors !== false };
    return { file: openedFile({ files, folder, signal, protection }, skimmed, has, close), folder };
  } catch (error) {
    close();
    throw abortedOr(signal, withOrigin(error, origin));
  }
}

/** Requests of prefetch() at the same time. */
const mostRequests = 4;

interface Found {
  /** Index of the tensor. */
  readonly at: number;
  readonly tensor: InspectedTensor;
  readonly place: TensorPlace;
  /** Position among all tensors, in the order of the files. */
  readonly rank: number;
}

function openedFile(
  source: TensorSource,
  { facts, places }: SkimmedModel,
  has: { readonly key: boolean; readonly tensors: boolean },
  close: () => void,
): ModelFile {
  const ranks = new Map(inFileOrder(facts.tensors).map((tensor, rank) => [tensor, rank]));
  const indexOf = tensorFinder(facts.tensors);
  /** By index of the tensor. */
  const held = new Map<number, Promise<ModelTensor>>();
  const inTurn = atMost(mostRequests);
  const yielder = new YieldController(source.signal);
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const checkOpen = (): void => {
    if (isClosed) throw wrongState('The model file is closed.', 'model file');
  };
  const find = (name: string): Found => {
    checkOpen();
    if (!has.tensors) {
      throw wrongState(
        'The model file was opened without its tensors (tensors: false).',
        'tensors',
      );
    }
    if (!has.key) refuseEncrypted(facts.flags);
    const at = indexOf(name);
    const [tensor, place] = [facts.tensors[at], places[at]];
    if (!tensor || !place) throw unknownTensor(name, facts);
    return { at, tensor, place, rank: ranks.get(at) ?? at };
  };
  /** One after the other: the module decodes one tensor at a time. */
  const load = ({ tensor, place }: Found, folder: SourceFolder): Promise<ModelTensor> => {
    const loading = last.then(() => {
      checkOpen();
      return loadTensor({ ...source, folder }, place, tensor);
    });
    last = loading.catch(() => undefined);
    return loading;
  };
  /** Rejects interrupted work with the signal's reason. */
  const orAborted = (error: unknown): never => {
    throw abortedOr(source.signal, error);
  };
  const closeAll = (): void => {
    isClosed = true;
    held.clear();
    close();
  };
  return {
    ...facts,
    async tensor(name) {
      const one = find(name);
      const loading = held.get(one.at) ?? load(one, source.folder);
      held.delete(one.at);
      return loading.catch(orAborted);
    },
    async prefetch(names) {
      const wanted = new Map([...new Set(names)].map(find).map((one) => [one.at, one] as const));
      const lacking = [...wanted.values()]
        .filter(({ at }) => !held.has(at))
        .sort((a, b) => a.rank - b.rank);
      const begun = withRanges(source, lacking).then((ranged) => {
        const loading = new Map<number, Promise<ModelTensor>>();
        for (const range of rangesOf(ranged)) {
          const decoded = inTurn(async () => {
            checkOpen();
            const folder = isStreamed(range)
              ? source.folder
              : await fetchRange(source.folder, range);
            const tensors = range.tensors.map((one) => load(one, folder));
            await Promise.allSettled(tensors);
            return tensors;
          });
          range.tensors.forEach(({ at }, i) =>
            loading.set(
              at,
              decoded.then((tensors) => tensors[i]!),
            ),
          );
        }
        return loading;
      });
      for (const { at } of lacking) {
        const loading = begun.then((tensors) => tensors.get(at)!);
        held.set(at, loading);
        loading.catch(() => held.delete(at));
      }
      await Promise.all([...wanted.keys()].flatMap((at) => held.get(at) ?? [])).catch(orAborted);
    },
    async vocabulary() {
      checkOpen();
      return readVocabulary(source.files, source.folder, facts, yielder).catch(orAborted);
    },
    async tokens() {
      checkOpen();
      return source.files.call('readTokens', undefined).catch(orAborted);
    },
    async filterbank() {
      checkOpen();
      return readFilterbank(source.files).catch(orAborted);
    },
    async section(name) {
      checkOpen();
      return readSection(source, findSection(facts, name)).catch(orAborted);
    },
    close: closeAll,
    [Symbol.dispose]: closeAll,
    [Symbol.asyncDispose]() {
      closeAll();
      return Promise.resolve();
    },
  };
}

/** Adds the range to read for each tensor, if that is more than its bytes. Errors of opening a file are thrown when its tensor is read. */
async function withRanges({ protection }: TensorSource, found: readonly Found[]) {
  if (!protection) return found;
  return Promise.all(
    found.map(async (one) => ({
      ...one,
      range: await protection.range(one.place, one.tensor).catch(() => undefined),
    })),
  );
}

async function loadTensor(
  source: TensorSource,
  place: TensorPlace,
  tensor: InspectedTensor,
): Promise<ModelTensor> {
  const { name, dtype, shape, rawSize } = tensor;
  const [values, bytes] = memoryFor(tensor);
  const isShared = values.buffer === bytes.buffer;
  let valueCount = 0;
  let byteCount = 0;
  for await (const piece of readTensor(source, place, tensor)) {
    if (!isShared) values.set(piece.values, valueCount);
    bytes.set(piece.bytes, byteCount);
    valueCount += piece.values.length;
    byteCount += piece.bytes.length;
  }
  if (valueCount !== values.length || byteCount !== rawSize) {
    throw sourceFailed(place.file, 'it became shorter while it was read');
  }
  return { name, dtype, shape, values, bytes };
}

/** One buffer for both where the file has the values. */
function memoryFor({
  name,
  dtype,
  shape,
  rawSize,
}: InspectedTensor): readonly [Float32Array, Uint8Array] {
  const count = shape.reduce((product, size) => product * size, 1);
  try {
    const values = new Float32Array(count);
    const isStored = dtype === 'f32' && rawSize === values.byteLength;
    return [values, isStored ? new Uint8Array(values.buffer) : new Uint8Array(rawSize)];
  } catch (error) {
    throw new SusurrusError(
      'out_of_memory',
      `There is no memory for ${name}: ${count} values.`,
      { reason: 'memory', subject: name, got: String(count) },
      error,
    );
  }
}

export function unknownTensor(name: unknown, { tensors }: Pick<Inspection, 'tensors'>): Error {
  const names = tensors.map((tensor) => tensor.name);
  const near = typeof name === 'string' ? namesLike(name, names) : [];
  const expected =
    names.length === 0
      ? 'of a file with tensors'
      : `the name of one of ${names.length} tensors${near.length > 0 ? `, such as ${near.join(', ')}` : ''}`;
  return new SusurrusError(
    'invalid_argument',
    `There is no tensor ${JSON.stringify(name)}; expected ${expected}.`,
    { reason: 'option', subject: 'name', expected, got: String(name) },
  );
}

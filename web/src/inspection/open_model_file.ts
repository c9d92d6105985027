import type {
  InspectedTensor,
  Inspection,
  ModelFile,
  ModelSource,
  ModelTensor,
  OpenModelOptions,
} from '../api_types.js';
import { sourceFailed, SusurrusError, wrongState } from '../errors.js';
import { inFileOrder, readTensor, refuseEncrypted, type TensorSource } from './read_tensor.js';
import { protectedTensors } from './protected_tensors.js';
import { skimModel, type SkimmedModel, type TensorPlace } from './skim.js';
import { namesLike } from './near_names.js';
import { checkOptions, progressCheck, signalCheck } from '../options.js';
import type { Platform } from '../platform/platform.js';
import { withProgress } from '../progress_callback.js';
import { checkSealOptions, sealChecks } from '../seal_options.js';
import { openRanges } from '../sources/open_ranges.js';
import { abortedOr, onAbort, throwIfAborted } from '../signals.js';
import { withOrigin } from '../sources/pump.js';
import { release } from '../sources/read_source.js';
import { withoutRanges } from '../sources/url_folder.js';

export async function openModelFileOn(
  platform: Platform,
  source: ModelSource,
  options: OpenModelOptions,
): Promise<ModelFile> {
  checkOptions(options, {
    onProgress: progressCheck,
    signal: signalCheck,
    key: sealChecks.key,
  });
  const { signal, key } = options;
  if (key !== undefined) await checkSealOptions({ key });
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
    const skimmed = await withProgress(options, (watched) => skimModel(files, folder, watched));
    const { facts } = skimmed;
    const openTensor = protectedTensors(platform, folder, facts, key);
    return openedFile({ files, folder, signal, openTensor }, skimmed, key !== undefined, close);
  } catch (error) {
    close();
    throw abortedOr(signal, withOrigin(error, origin));
  }
}

interface Found {
  readonly tensor: InspectedTensor;
  readonly place: TensorPlace;
  /** Of all tensors, in the order of the files. */
  readonly rank: number;
}

function openedFile(
  source: TensorSource,
  { facts, places }: SkimmedModel,
  hasKey: boolean,
  close: () => void,
): ModelFile {
  const ranks = new Map(inFileOrder(facts.tensors).map((tensor, rank) => [tensor, rank]));
  const found = new Map<string, Found>();
  facts.tensors.forEach((tensor, i) => {
    const place = places[i];
    // Of two with one name the last counts, as where such files are run.
    if (place) found.set(tensor.name, { tensor, place, rank: ranks.get(i) ?? i });
  });
  const held = new Map<string, Promise<ModelTensor>>();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const find = (name: string): Found => {
    if (isClosed) throw wrongState('The model file is closed.', 'model file');
    if (!hasKey) refuseEncrypted(facts.flags);
    const tensor = found.get(name);
    if (!tensor) throw unknownTensor(name, facts);
    return tensor;
  };
  /** One after the other: the module decodes one tensor at a time. */
  const load = ({ tensor, place }: Found): Promise<ModelTensor> => {
    const loading = last.then(() => {
      if (isClosed) throw wrongState('The model file is closed.', 'model file');
      return loadTensor(source, place, tensor);
    });
    last = loading.catch(() => undefined);
    return loading.catch((error: unknown) => {
      throw abortedOr(source.signal, error);
    });
  };
  const closeAll = (): void => {
    isClosed = true;
    held.clear();
    close();
  };
  return {
    ...facts,
    async tensor(name) {
      const waiting = find(name);
      const loaded = held.get(name) ?? load(waiting);
      held.delete(name);
      return loaded;
    },
    async prefetch(names) {
      const wanted = [...new Set(names)].map(find).sort((a, b) => a.rank - b.rank);
      const loads = wanted.map((one) => {
        const loading = held.get(one.tensor.name) ?? load(one);
        held.set(one.tensor.name, loading);
        return loading.catch((error: unknown) => {
          held.delete(one.tensor.name);
          throw error;
        });
      });
      await Promise.all(loads);
    },
    close: closeAll,
    [Symbol.dispose]: closeAll,
  };
}

async function loadTensor(
  source: TensorSource,
  place: TensorPlace,
  tensor: InspectedTensor,
): Promise<ModelTensor> {
  const { name, dtype, shape, rawSize } = tensor;
  const [values, bytes] = memoryFor(tensor);
  let valueCount = 0;
  let byteCount = 0;
  for await (const piece of readTensor(source, place, tensor)) {
    values.set(piece.values, valueCount);
    bytes.set(piece.bytes, byteCount);
    valueCount += piece.values.length;
    byteCount += piece.bytes.length;
  }
  if (valueCount !== values.length || byteCount !== rawSize) {
    throw sourceFailed(place.file, 'it became shorter while it was read');
  }
  return { name, dtype, shape, values, bytes };
}

function memoryFor({ name, shape, rawSize }: InspectedTensor): readonly [Float32Array, Uint8Array] {
  const count = shape.reduce((product, size) => product * size, 1);
  try {
    return [new Float32Array(count), new Uint8Array(rawSize)];
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

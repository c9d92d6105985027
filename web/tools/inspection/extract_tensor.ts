import type { InspectedTensor } from '../../src/api/types.js';
import { sourceFailed } from '../../src/api/errors.js';
import { tensorFinder } from './find_tensor.js';
import { withFiles } from './inspect_model.js';
import { unknownTensor } from './open_model_file.js';
import { protectedTensors } from './protected_tensors.js';
import { openRanges } from '../../src/sources/open_ranges.js';
import { release } from '../../src/sources/read_source.js';
import type { Extractor } from './extract.js';
import { isNumpyType, npyHeader } from './npy_header.js';
import type { TensorRequest } from '../../src/protocol/files.js';
import { readTensor, refuseEncrypted } from './read_tensor.js';
import { skimModel } from './skim.js';

/**
 * Writes a tensor as NumPy's .npy: in the file's type where NumPy has it and its numbers are the values, else as f32. Throws
 * SusurrusError.
 */
export const writeTensor: Extractor = async (platform, source, name, options, write) => {
  const { signal, onProgress } = options;
  const opened = await openRanges(source, platform, signal);
  if (!opened.folder) {
    if (opened.whole) release(opened.whole);
    throw sourceFailed(
      'source',
      'parts of it cannot be read; give a path, a URL that has ranges, a Blob or bytes',
    );
  }
  const { folder, origin } = opened;
  return withFiles(platform, origin, signal, async (files) => {
    const { facts, places } = await skimModel(files, folder, { signal });
    const at = tensorFinder(facts.tensors)(name);
    const [tensor, place] = [facts.tensors[at], places[at]];
    if (!tensor || !place) throw unknownTensor(name, facts);
    refuseEncrypted(facts.flags);
    const isStored = isNumpyType(tensor.dtype) && !hasScale(tensor, place.request);
    await write(npyHeader(isStored ? tensor.dtype : 'f32', tensor.shape));
    let loaded = 0;
    const protection = protectedTensors(platform, folder, facts, undefined);
    const source = { files, folder, signal, protection };
    for await (const { values, bytes } of readTensor(source, place, tensor)) {
      const { buffer, byteOffset, byteLength } = values;
      await write(isStored ? bytes : new Uint8Array(buffer, byteOffset, byteLength));
      loaded += bytes.length;
      onProgress?.({
        phase: 'convert',
        loaded,
        total: tensor.rawSize,
        fraction: loaded / tensor.rawSize,
      });
    }
    return { tensor };
  });
};

/** Whether stored integers are not the values. */
const hasScale = (tensor: InspectedTensor, request: TensorRequest): boolean =>
  tensor.rowScales === true ||
  tensor.scale !== undefined ||
  ('scale' in request && (request.scale !== 1 || request.offset !== 0));

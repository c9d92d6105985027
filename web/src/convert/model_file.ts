// Model files as a source of conversion: read whole and verified once, then tensor by tensor.
import { unwrap } from '../engine/glue.js';
import type { Pace } from '../engine/pace.js';
import { pushThroughWindow } from '../engine/windows.js';
import { sourceFailed, SusurrusError } from '../errors.js';
import type { Inspector } from '../files/files.mjs';
import { inspectionFacts } from '../files/inspection.js';
import type { FilesModule } from '../files/module.js';
import type { Architecture } from './dimensions.js';
import { slaneyFilterbank } from './filterbank.js';
import { isObject, type JsonObject } from './json_files.js';
import type { MetadataParts } from './metadata.js';
import type { SourceFolder } from './source_folder.js';
import { inspectedVocabulary, type SourceVocabulary } from './vocabulary.js';
import type { WeightFile } from './weight_files.js';

export interface ReadModelFile {
  readonly inspector: Inspector;
  readonly weights: WeightFile;
  readonly parts: Omit<MetadataParts, 'dtype' | 'vocabulary'>;
  readonly vocabulary: SourceVocabulary | undefined;
  readonly warnings: readonly string[];
}

/** Reads an APR1 file to its end. The caller deletes the inspector. */
export async function readModelFile(
  module: FilesModule,
  folder: SourceFolder,
  file: string,
  pace: Pace,
  onProgress: (loaded: number, total: number) => void,
): Promise<ReadModelFile> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) throw sourceFailed(file, 'there is no such file');
  const inspector = new module.Inspector();
  try {
    inspector.setByteCount(byteCount);
    let loaded = 0;
    for await (const piece of folder.read(file, 0, byteCount)) {
      await pushThroughWindow(inspector, piece, (count) => inspector.push(count), pace);
      loaded += piece.length;
      onProgress(loaded, byteCount);
    }
    unwrap(inspector.finish());
    const isManifest = inspector.missingFiles() !== '[]';
    const { format, warnings } = isManifest
      ? { format: 'APR2 in shards', warnings: [] }
      : inspectionFacts(inspector);
    if (!format.startsWith('APR1')) {
      throw new SusurrusError('unsupported_feature', `${file}: ${format} is not converted.`, {
        reason: 'unsupported',
        subject: file,
        expected: 'APR1',
        got: format,
      });
    }
    const architecture = JSON.parse(inspector.architecture()) as Architecture;
    const filterbank = inspector.filterbank().slice();
    return {
      inspector,
      weights: { file, byteCount },
      parts: {
        architecture,
        sourceFormat: format,
        config: {},
        generation: statedMetadata(inspector),
        filterbank:
          filterbank.length > 0 ? filterbank : slaneyFilterbank(module, architecture.n_mels),
      },
      vocabulary: inspectedVocabulary(inspector, architecture.n_vocab),
      warnings,
    };
  } catch (error) {
    inspector.delete();
    throw error;
  }
}

/** What texts inside the file say about decoding, under the hub's names. */
function statedMetadata(inspector: Inspector): JsonObject {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  const root = JSON.parse(text) as JsonObject;
  return { ...root, ...(isObject(root.tokenizer_config) && root.tokenizer_config) };
}

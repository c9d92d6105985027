// Files in memory or on a disk, as a page gets them dropped, as a folder.
import { invalidOption } from '../../src/api/errors.js';
import { convertibleFiles } from '../../src/api/generated/formats.js';
import { blobsFolder } from '../../src/sources/blob_folder.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { endingOf } from './file_names.js';

const blobName = (blob: Blob): string => ('name' in blob ? String(blob.name) : 'file');

/** Names that files of weights, or manifests of their shards, have; others lie beside them. */
const weights = endingOf(...convertibleFiles);
const isOfWeights = (name: string): boolean =>
  weights.test(name) && !/-\d{5}-of-\d{5}\.\w+$/.test(name);

/** One file, or the files of one folder, of which one is that of the weights or several have the names that the hub gives them. */
export function folderOfFiles(files: readonly unknown[]): SourceFolder {
  const named = new Map<string, Blob>();
  for (const file of files) {
    if (!(file instanceof Blob)) throw invalidOption('source', 'a file, or a list of files', file);
    named.set(blobName(file), file);
  }
  const names = [...named.keys()];
  const [first] = names;
  if (first === undefined) throw invalidOption('source', 'a file, or a list of files', files);
  const ofWeights = names.length === 1 ? names : names.filter(isOfWeights);
  return {
    ...blobsFolder(named, names.length === 1 ? first : `${names.length} files`),
    ...(ofWeights.length === 1 && { weightsFile: ofWeights[0] }),
  };
}

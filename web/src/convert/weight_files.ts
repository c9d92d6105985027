import { sourceFailed, SusurrusError } from '../errors.js';
import { badFile, isObject, readJsonObject } from './json_files.js';
import { readRange, type SourceFolder } from './source_folder.js';

export interface WeightFile {
  readonly file: string;
  readonly byteCount: number;
}

/** SafeTensors' own limit. */
const mostHeaderBytes = 100 * 1024 * 1024;

/** The SafeTensors files of a folder: the one that was named, model.safetensors, or the parts that its index lists. */
export async function findWeightFiles(folder: SourceFolder): Promise<WeightFile[]> {
  const single = folder.weightsFile ?? 'model.safetensors';
  const byteCount = await folder.byteCount(single);
  if (byteCount !== undefined) return [{ file: single, byteCount }];

  const indexFile = 'model.safetensors.index.json';
  const index = await readJsonObject(folder, indexFile);
  if (index) {
    if (!isObject(index.weight_map)) throw badFile(indexFile, 'it has no weight_map', 'manifest');
    const parts = [...new Set(Object.values(index.weight_map))];
    return Promise.all(parts.map((part) => partOf(folder, part, indexFile)));
  }
  if ((await folder.byteCount('pytorch_model.bin')) !== undefined) {
    throw new SusurrusError(
      'unsupported_feature',
      `${folder.name}: pytorch_model.bin is not read; the hub has model.safetensors for nearly every Whisper.`,
      { reason: 'unsupported', subject: 'pytorch_model.bin', expected: 'model.safetensors' },
    );
  }
  throw sourceFailed(folder.name, 'there is no model.safetensors in it', {
    expected: 'model.safetensors',
  });
}

async function partOf(folder: SourceFolder, file: unknown, indexFile: string): Promise<WeightFile> {
  if (typeof file !== 'string' || !/^[\w.-]+\.safetensors$/.test(file)) {
    throw badFile(indexFile, 'weight_map names something other than files beside it', 'manifest');
  }
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) throw sourceFailed(file, `it is missing, but ${indexFile} lists it`);
  return { file, byteCount };
}

/** The length field and the JSON of a SafeTensors file. */
export async function readHeader(
  folder: SourceFolder,
  { file, byteCount }: WeightFile,
): Promise<Uint8Array> {
  const lengthField = await readRange(folder, file, 0, Math.min(8, byteCount));
  if (lengthField.length < 8) return lengthField; // the core names what is wrong
  const length = new DataView(lengthField.buffer).getBigUint64(0, true);
  if (length > BigInt(mostHeaderBytes)) {
    throw new SusurrusError('limit_exceeded', `${file}: its header is too long.`, {
      reason: 'limit',
      subject: file,
      expected: `at most ${mostHeaderBytes} bytes`,
      got: String(length),
    });
  }
  return readRange(folder, file, 0, Math.min(8 + Number(length), byteCount));
}

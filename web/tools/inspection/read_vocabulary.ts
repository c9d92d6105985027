// What a model file holds besides its tensors: vocabulary and filterbank.
import type { Filterbank, VocabularyToken } from '../../src/api/types.js';
import { bytesOfByteLevelText } from '../convert/byte_level_text.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { FilesLink } from '../../src/protocol/files.js';

/** Of the model that was read first; undefined where its file has none. In steps: a vocabulary may have a million tokens. */
export async function readVocabulary(
  files: FilesLink,
  yielder: YieldController,
): Promise<readonly VocabularyToken[] | undefined> {
  const { bytes, ends, isByteLevel } = await files.call('readVocabulary', undefined);
  if (ends.length === 0) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const tokens: VocabularyToken[] = [];
  let begin = 0;
  for (const end of ends) {
    const stored = bytes.subarray(begin, end);
    const token = isByteLevel ? bytesOfByteLevelText(decoder.decode(stored)) : stored;
    tokens.push({ bytes: token, text: decoder.decode(token) });
    begin = end;
    await yielder.step();
  }
  return tokens;
}

/** Undefined where the file has none: then it is computed. */
export async function readFilterbank(files: FilesLink): Promise<Filterbank | undefined> {
  const { values, melCount } = await files.call('readFilterbank', undefined);
  if (values.length === 0) return undefined;
  return { shape: [melCount, values.length / melCount], values };
}

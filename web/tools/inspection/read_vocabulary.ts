// Reads the vocabulary and the filterbank of a model.
import type { Filterbank, Inspection, VocabularyToken } from '../../src/api/types.js';
import { formatsWithConfigBeside } from '../../src/api/generated/formats.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { bytesOfByteLevelText } from '../convert/byte_level_text.js';
import { isId, readJsonObject } from '../convert/json_files.js';
import { readVocabulary as readTokenizerFiles } from '../convert/vocabulary.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { FilesLink } from '../../src/protocol/files.js';

/**
 * Reads the vocabulary from the file that was read first, else from the tokenizer files of its folder; undefined if there is none. Yields:
 * a vocabulary may have a million tokens.
 */
export async function readVocabulary(
  files: FilesLink,
  folder: SourceFolder,
  facts: Inspection,
  yielder: YieldController,
): Promise<readonly VocabularyToken[] | undefined> {
  return (await vocabularyInFile(files, yielder)) ?? vocabularyBeside(folder, facts, yielder);
}

async function vocabularyInFile(
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

/** Limit for models that do not state the number of their tokens; no vocabulary has more. */
const mostTokens = 1 << 20;

/** Tokens that a conversion would write into the model file, including the official control tokens. */
async function vocabularyBeside(
  folder: SourceFolder,
  { format, dims }: Inspection,
  yielder: YieldController,
): Promise<readonly VocabularyToken[] | undefined> {
  if (format !== 'GGUF' && !formatsWithConfigBeside.includes(format)) return undefined;
  const stated = dims?.nVocab ?? (await readJsonObject(folder, 'config.json'))?.vocab_size;
  const size = isId(stated) ? Math.min(stated, mostTokens) : mostTokens;
  const vocabulary = await readTokenizerFiles(folder, size);
  if (!vocabulary) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const tokens: VocabularyToken[] = [];
  for (const text of vocabulary.tokens) {
    const bytes = bytesOfByteLevelText(text);
    tokens.push({ bytes, text: decoder.decode(bytes) });
    await yielder.step();
  }
  return tokens;
}

/** Reads the file's filterbank; undefined if it has none, and Whisper's is computed instead. */
export async function readFilterbank(files: FilesLink): Promise<Filterbank | undefined> {
  const { values, melCount } = await files.call('readFilterbank', undefined);
  if (values.length === 0) return undefined;
  return { shape: [melCount, values.length / melCount], values };
}

// Extracts vocabularies, token tables, filterbanks and sections.
import type {
  ExtractResult,
  ModelFile,
  ModelSource,
  OpenModelOptions,
  VocabularyToken,
} from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import type { Platform } from '../../src/platform/platform.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import type { Extractor } from './extract.js';
import { npyHeader } from './npy_header.js';
import { openWithSource } from './open_model_file.js';
import { findSection, sectionPieces } from './read_section.js';

type Part = 'vocabulary' | 'tokens' | 'filterbank';
type Opened = Awaited<ReturnType<typeof openWithSource>>;

/** Writes vocabulary, tokens or filterbank. Throws SusurrusError. */
export const writePart: Extractor<Part> = (platform, source, part, options, write) =>
  writeFrom(platform, source, options, write, ({ file }) =>
    partBytes(file, part, new YieldController(options.signal)),
  );

/** Writes the bytes of a section. Throws SusurrusError. */
export const writeSection: Extractor = (platform, source, name, options, write) =>
  writeFrom(platform, source, options, write, ({ file, folder }) =>
    sectionPieces({ folder, signal: options.signal }, findSection(file, name)),
  );

async function writeFrom(
  platform: Platform,
  source: ModelSource,
  { signal, onProgress }: OpenModelOptions,
  write: (bytes: Uint8Array) => Promise<void>,
  read: (opened: Opened) => AsyncGenerator<Uint8Array>,
): Promise<Omit<ExtractResult, 'byteCount'>> {
  const opened = await openWithSource(platform, source, {
    tensors: false,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  try {
    for await (const bytes of read(opened)) await write(bytes);
    return {};
  } finally {
    opened.file.close();
  }
}

async function* partBytes(
  file: ModelFile,
  part: Part,
  yielder: YieldController,
): AsyncGenerator<Uint8Array> {
  if (part === 'filterbank') {
    const { shape, values } = (await file.filterbank()) ?? lacking(part, file.format);
    yield npyHeader('f32', shape);
    yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return;
  }
  const entries =
    part === 'tokens'
      ? ((await file.tokens()) ?? lacking(part, file.format))
      : ((await file.vocabulary()) ?? lacking(part, file.format));
  yield* jsonLines(entries, yielder);
}

/** A JSON array, one item a line; for tokens their ids and bytes too. */
async function* jsonLines(
  items: readonly (string | VocabularyToken)[],
  yielder: YieldController,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '[\n';
  for (const [at, item] of items.entries()) {
    const json =
      typeof item === 'string' ? item : { id: at, text: item.text, bytes: hexOf(item.bytes) };
    text += `${JSON.stringify(json)}${at + 1 < items.length ? ',' : ''}\n`;
    if (text.length >= 1 << 16) {
      yield encoder.encode(text);
      text = '';
    }
    await yielder.step();
  }
  yield encoder.encode(`${text}]\n`);
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function lacking(part: Part, format: string): never {
  throw invalidOption('what', `what the file has, which is ${format} without one`, part);
}

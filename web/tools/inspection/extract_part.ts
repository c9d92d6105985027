// What a model file holds besides tensors and networks, as a file of its own.
import type {
  ExtractedPart,
  ExtractOptions,
  ModelDestination,
  ModelFile,
  ModelSource,
  VocabularyToken,
} from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { Platform } from '../../src/platform/platform.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { npyHeader } from './npy_header.js';
import { openWithSource } from './open_model_file.js';
import { findSection, sectionPieces } from './read_section.js';

const extractedParts: readonly ExtractedPart[] = ['vocabulary', 'tokens', 'filterbank'];
const sectionPrefix = 'section:';

/** Answers the number of bytes. Throws SusurrusError. */
export async function extractPartOn(
  platform: Platform,
  source: ModelSource,
  part: ExtractedPart,
  destination: ModelDestination,
  options: ExtractOptions,
): Promise<number> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  const isSection = typeof part === 'string' && part.startsWith(sectionPrefix);
  if (!isSection && !extractedParts.includes(part)) {
    throw invalidOption('part', `${extractedParts.join(' or ')}, or section:NAME`, part);
  }
  const { force = false, signal, onProgress } = options;
  const { file, folder } = await openWithSource(platform, source, {
    tensors: false,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  const yielder = new YieldController(signal);
  const fill = async (write: (bytes: Uint8Array) => Promise<void>): Promise<number> => {
    let byteCount = 0;
    const pieces = isSection
      ? sectionPieces({ folder, signal }, findSection(file, part.slice(sectionPrefix.length)))
      : partBytes(file, part, yielder);
    for await (const bytes of pieces) {
      await write(bytes);
      byteCount += bytes.length;
    }
    return byteCount;
  };
  try {
    return await (destination instanceof WritableStream
      ? writeStream(destination, fill)
      : platform.writeFile(destination, force, fill));
  } finally {
    file.close();
  }
}

async function* partBytes(
  file: ModelFile,
  part: ExtractedPart,
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

/** A JSON array, an item a line; of tokens their ids and bytes too. */
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

function lacking(part: ExtractedPart, format: string): never {
  throw invalidOption('part', `what the file has, which is ${format} without one`, part);
}

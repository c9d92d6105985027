// Writes a model from its parts: the core says what belongs to the file, the parts are asked for one at a time.
import { YieldController } from '../../src/wasm/yield_controller.js';
import { invalidOption } from '../../src/api/errors.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import { anyWork } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import type { ModelDestination } from '../../src/api/types.js';
import type { FilesLink, PlannedPart, WritePass } from '../../src/protocol/files.js';
import { largeFileWarnings } from '../../src/platform/output.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { Platform } from '../../src/platform/platform.js';
import { writeStream } from '../../src/platform/write_stream.js';
import type {
  PartSource,
  WritableModel,
  WriteOptions,
  WriteResult,
} from '../../src/api/write_types.js';
import { modelParts, type ModelParts } from './model_parts.js';
import { isRereadable, readPart, SourceError } from './part_data.js';

/** What goes over in one message, and so how much of a part is held at a time. */
const pieceBytes = 1 << 20;

type Write = (bytes: Uint8Array) => Promise<void>;

export async function writeModelOn(
  platform: Platform,
  destination: ModelDestination,
  model: WritableModel,
  options: WriteOptions,
): Promise<WriteResult> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  const isStream = destination instanceof WritableStream;
  if (!isStream && typeof destination !== 'string' && !(destination instanceof URL)) {
    throw invalidOption('destination', 'a WritableStream, or in Node a path', destination);
  }
  const parts = modelParts(model);
  throwIfAborted(options.signal);
  return withProgress(anyWork, options, (watched) =>
    writeParts(platform, destination, parts, watched),
  );
}

async function writeParts(
  platform: Platform,
  destination: ModelDestination,
  parts: ModelParts,
  options: Watched<WriteOptions>,
): Promise<WriteResult> {
  const { signal, force = false } = options;
  const yielder = new YieldController(signal ?? new AbortController().signal);
  const files = platform.openFiles();
  const fill = (write: Write): Promise<WriteResult> =>
    new ModelWriting(files, parts.sources, write, yielder, options).run(parts.model);
  const work = async (): Promise<WriteResult> => {
    try {
      return destination instanceof WritableStream
        ? await writeStream(destination, (write) => SourceError.unwrapped(fill(write)), signal)
        : await SourceError.unwrapped(platform.writeFile(destination, force, fill));
    } finally {
      files.close();
    }
  };
  try {
    // A stalled stream must not delay an abort. A file is removed before the call ends.
    return await (destination instanceof WritableStream ? yielder.wait(work()) : work());
  } catch (error) {
    throw abortedOr(signal, error);
  }
}

/** The writing of one file. */
class ModelWriting {
  readonly #files: FilesLink;
  readonly #sources: readonly PartSource[];
  readonly #write: Write;
  readonly #yielder: YieldController;
  readonly #options: Watched<WriteOptions>;
  #byteCount = 0;
  #loaded = 0;
  #total = 0;

  constructor(
    files: FilesLink,
    sources: readonly PartSource[],
    write: Write,
    yielder: YieldController,
    options: Watched<WriteOptions>,
  ) {
    this.#files = files;
    this.#sources = sources;
    this.#write = write;
    this.#yielder = yielder;
    this.#options = options;
  }

  async run(model: ModelParts['model']): Promise<WriteResult> {
    await this.#call('start', undefined);
    const { parts, passes } = await this.#call('planWrite', { model });
    this.#refuseOneShots(parts, passes);
    this.#total = passes.length * parts.reduce((sum, { byteCount }) => sum + byteCount, 0);
    let warnings: readonly string[] = [];
    for (const pass of passes) {
      await this.#take(await this.#call('beginPass', { pass }));
      for (const [i, part] of parts.entries()) await this.#copyPart(part, this.#sources[i]);
      const end = await this.#call('endPass', undefined);
      await this.#take(end.bytes);
      warnings = end.warnings;
    }
    const isLarge = model.format === 'apr2' ? largeFileWarnings(this.#byteCount) : [];
    return { byteCount: this.#byteCount, warnings: [...warnings, ...isLarge] };
  }

  #call: FilesLink['call'] = (name, request, options) =>
    this.#files.call(name, request, { signal: this.#options.signal, ...options });

  #refuseOneShots(parts: readonly PlannedPart[], passes: readonly WritePass[]): void {
    const once = this.#sources.findIndex((source) => !isRereadable(source));
    if (passes.length === 1 || once < 0) return;
    throw invalidOption(
      parts[once]?.name ?? 'data',
      `an array, a Blob, or a function, since it is read ${passes.length} times`,
      this.#sources[once],
    );
  }

  async #copyPart(part: PlannedPart, source: PartSource | undefined): Promise<void> {
    if (source === undefined) throw invalidOption(part.name, 'given: its data', source);
    let isFloats: boolean | undefined;
    let pushed = 0;
    const begin = async (as: boolean): Promise<void> => {
      if (isFloats === undefined) await this.#call('beginPart', { isFloats: as });
      else if (isFloats !== as) throw invalidOption(part.name, 'arrays of one type', 'two types');
      isFloats = as;
    };
    await readPart(source, part, this.#yielder, async (piece) => {
      await begin(piece.isFloats);
      const expected = piece.isFloats ? 4 * part.elementCount : part.byteCount;
      for (let at = 0; at < piece.bytes.length; at += pieceBytes) {
        // A copy, which a worker may keep.
        const bytes = piece.bytes.slice(at, at + pieceBytes);
        pushed += bytes.length;
        const output = await this.#call('pushPart', { bytes }, { givesAway: true });
        for (const each of output) await this.#take(each);
        this.#tell(this.#loaded + Math.min(1, pushed / expected) * part.byteCount);
      }
    });
    if (isFloats === undefined) await begin(false);
    await this.#take(await this.#call('endPart', undefined));
    this.#loaded += part.byteCount;
    this.#tell(this.#loaded);
  }

  #tell(loaded: number): void {
    const total = this.#total;
    this.#options.onProgress?.({
      phase: 'convert',
      loaded,
      total,
      fraction: total === 0 ? 1 : loaded / total,
    });
  }

  async #take(bytes: Uint8Array): Promise<void> {
    this.#byteCount += bytes.length;
    if (bytes.length > 0) await this.#write(bytes);
    await this.#yielder.step();
  }
}

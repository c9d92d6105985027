// Repacks files of formats that are not converted to others (.april, BW2L, TenniS): written anew, without gaps.
import type { SourceOptions } from './convert_options.js';
import type { ConvertResult } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { unwrap } from '../../src/wasm/emscripten_module.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import type { Rewriter } from '../files/files.mjs';
import type { FilesModule } from '../files/module.js';
import { otherFamilyOf } from './file_names.js';
import { readRange, type SourceFolder } from '../../src/platform/source_folder.js';

/** Enough to recognise any format. */
const firstByteCount = 64;

/** Options that have a meaning only where a format becomes another one, or weights another type. */
const conversions = [
  'format',
  'dtype',
  'compress',
  'vocabulary',
  'metadata',
  'shardSize',
  'alignment',
] as const;

interface RepackTask {
  readonly folder: SourceFolder;
  readonly file: string;
  /** The destination's. */
  readonly name: string;
  readonly options: SourceOptions;
  readonly yielder: YieldController;
  readonly create: () => Promise<(bytes: Uint8Array) => Promise<void>>;
}

/** Undefined, and nothing written, when the file is of another format. */
export async function repackFile(
  module: FilesModule,
  task: RepackTask,
): Promise<ConvertResult | undefined> {
  const { folder, file, name, options } = task;
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) return undefined;
  const first = await readRange(folder, file, 0, Math.min(firstByteCount, byteCount));
  const rewriter = new module.Rewriter(byteCount);
  try {
    rewriter.inputWindow(first.length).set(first);
    if (!rewriter.open(first.length)) return undefined;
    refuseConversion(rewriter.format(), file, name, options);
    const write = await task.create();
    const written = await runPasses(rewriter, byteCount, task, write);
    return {
      byteCount: written,
      tensorCount: rewriter.tensorCount(),
      tensors: [],
      warnings: JSON.parse(rewriter.warnings()) as string[],
    };
  } finally {
    rewriter.delete();
  }
}

async function runPasses(
  rewriter: Rewriter,
  byteCount: number,
  { folder, file, options, yielder }: RepackTask,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  let written = 0;
  const drain = async (): Promise<void> => {
    const output = rewriter.output();
    if (output.length === 0) return;
    written += output.length;
    // A view of the module's heap: valid until the next call.
    await write(output);
    rewriter.consumeOutput();
  };
  while (!rewriter.isComplete()) {
    const phase: PhaseProgress['phase'] = rewriter.isWriting() ? 'convert' : 'inspect';
    rewriter.beginPass();
    let loaded = 0;
    for await (const piece of folder.read(file, 0, byteCount)) {
      await pushThroughWindow(rewriter, piece, (count) => rewriter.push(count), yielder, drain);
      loaded += piece.length;
      options.onProgress?.({ phase, loaded, total: byteCount, fraction: loaded / byteCount });
      await yielder.step();
    }
    if (loaded < byteCount) throw sourceFailed(file, 'it became shorter while it was read');
    unwrap(rewriter.finishPass());
    await drain();
  }
  return written;
}

function refuseConversion(
  format: string,
  file: string,
  destination: string,
  options: SourceOptions,
): void {
  const wanted =
    conversions.find((key) => options[key] !== undefined) ?? otherFamilyOf(destination, format);
  if (wanted === undefined) return;
  throw new SusurrusError(
    'unsupported_feature',
    `${file}: ${format} is converted to nothing but ${format}, without options: a file without gaps.`,
    { reason: 'unsupported', subject: file, expected: format, got: wanted },
  );
}

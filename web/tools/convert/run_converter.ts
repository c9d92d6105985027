// Drives the core's converter: converter.h tells the order of calls.
import { unwrap } from '../../src/wasm/emscripten_module.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { sourceFailed } from '../../src/api/errors.js';
import type { Converter } from '../files/files.mjs';
import type { FilesModule } from '../files/module.js';
import { writeText } from '../files/text_window.js';
import type { OpenedCheckpoint } from './checkpoint.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';

export interface ConversionTask {
  readonly folder: SourceFolder;
  readonly weights: readonly OpenedCheckpoint[];
  readonly metadata: string;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Before the writing begins, and before what is written is about another tensor. */
  readonly onPlan?: () => void;
  readonly onTensor?: (tensor: number) => Promise<void>;
  readonly yielder: YieldController;
  /** Bytes of weights read so far, and to be read, counting every pass. */
  readonly onProgress: (loaded: number, total: number) => void;
}

export async function runConverter(
  { Pass }: FilesModule,
  converter: Converter,
  task: ConversionTask,
): Promise<void> {
  for (const { core } of task.weights) unwrap(converter.addSource(core));
  writeText(converter, new TextEncoder().encode(task.metadata), 'metadata');
  unwrap(converter.setMetadata());

  const passes = [
    ...(converter.needsScanning() ? [Pass.scan] : []),
    ...(converter.needsMeasuring() ? [Pass.measure] : []),
    Pass.write,
  ];
  const files = task.weights.flatMap((weights) => weights.files);
  const ranges = Array.from({ length: converter.tensorCount() }, (_, i) =>
    converter.sourceRange(i),
  );
  const total = passes.length * ranges.reduce((sum, range) => sum + range.byteCount, 0);
  let loaded = 0;
  for (const pass of passes) {
    const isWriting = pass === Pass.write;
    unwrap(converter.begin(pass));
    if (isWriting) task.onPlan?.();
    await drain(converter, task);
    for (const [tensor, range] of ranges.entries()) {
      if (isWriting) await task.onTensor?.(tensor);
      await copyTensor(converter, range, files[range.source], task);
      loaded += range.byteCount;
      task.onProgress(loaded, total);
    }
    unwrap(converter.finish());
    await drain(converter, task);
  }
}

type SourceRange = ReturnType<Converter['sourceRange']>;

async function copyTensor(
  converter: Converter,
  { offset, byteCount }: SourceRange,
  file: string | undefined,
  task: ConversionTask,
): Promise<void> {
  let copied = 0;
  if (file !== undefined && byteCount > 0) {
    for await (const piece of task.folder.read(file, offset, byteCount)) {
      copied += piece.length;
      await pushThroughWindow(
        converter,
        piece,
        (count) => converter.push(count),
        task.yielder,
        () => drain(converter, task),
      );
    }
    if (copied < byteCount) throw sourceFailed(file, 'it became shorter while it was read');
  }
  unwrap(converter.finishTensor());
  await drain(converter, task);
  await task.yielder.step();
}

async function drain(converter: Converter, { write }: ConversionTask): Promise<void> {
  const output = converter.output();
  if (output.length === 0) return;
  // A view of the module's heap: valid until the next call.
  await write(output);
  converter.consumeOutput();
}

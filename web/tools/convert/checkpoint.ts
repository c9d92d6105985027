// What the files of a checkpoint say besides their weights, as the core reads it.
import { unwrap } from '../../src/wasm/emscripten_module.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { inFile, sourceFailed } from '../../src/api/errors.js';
import type { Checkpoint, CheckpointSource } from '../files/files.mjs';
import type { FilesModule } from '../files/module.js';
import type { Format } from '../../src/api/generated/formats.js';
import type { Architecture } from '../../src/api/generated/whisper.js';
import type { JsonObject } from './json_files.js';
import { readRange, refusalNote, type SourceFolder } from '../../src/platform/source_folder.js';
import { sayIncomplete } from '../../src/sources/incomplete.js';

export interface CheckpointFacts {
  readonly format: Format;
  /** Absent where other files of the folder tell it. */
  readonly architecture?: Architecture;
  /** Type of the largest tensor. */
  readonly dtype?: string;
  readonly hasByteLevelText: boolean;
  readonly warnings: readonly string[];
}

export interface OpenedCheckpoint {
  /** What its tensors lie in. */
  readonly files: readonly string[];
  /** The caller must delete it. */
  readonly core: CheckpointSource;
  readonly facts: CheckpointFacts;
  /** Metadata of a model file, which says all that is known of its model. */
  readonly metadata?: JsonObject;
}

/** Called with the bytes read so far and the total. */
export type OnRead = (loaded: number, total: number) => void;

export const factsOf = (core: CheckpointSource): CheckpointFacts =>
  JSON.parse(core.checkpointFacts()) as CheckpointFacts;

/** Enough for many headers of tensors, little where a tensor is left out. */
const pieceBytes = 1 << 16;

/** Recognises a file by its first bytes and reads what stands before and between its weights. */
export async function openCheckpoint(
  module: FilesModule,
  folder: SourceFolder,
  file: string,
  yielder: YieldController,
): Promise<OpenedCheckpoint> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) {
    throw sourceFailed(file, `there is no such file${refusalNote(folder, file)}`);
  }
  const core = new module.Checkpoint(byteCount);
  try {
    await readCheckpoint(core, folder, file, byteCount, yielder);
    unwrap(core.finish());
    return { files: [file], core, facts: factsOf(core) };
  } catch (error) {
    core.delete();
    const read = (begin: number, end: number) => readRange(folder, file, begin, end - begin);
    throw inFile(file, await sayIncomplete(error, byteCount, read));
  }
}

async function readCheckpoint(
  core: Checkpoint,
  folder: SourceFolder,
  file: string,
  byteCount: number,
  yielder: YieldController,
): Promise<void> {
  let at = 0;
  while (at < byteCount && !core.isComplete()) {
    const count = Math.min(pieceBytes, byteCount - at);
    const begin = at;
    for await (const piece of folder.read(file, at, count)) {
      await pushThroughWindow(core, piece, (pushed) => core.push(pushed), yielder);
      at += piece.length;
    }
    if (at === begin) throw sourceFailed(file, 'it became shorter while it was read');
    const skippable = core.skippable();
    core.skip(skippable);
    at += skippable;
  }
}

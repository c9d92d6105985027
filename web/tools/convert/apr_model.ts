// APR files as sources of conversion: read whole and verified once, then tensor by tensor.
import type { FilterbankChoice } from '../../src/api/types.js';
import { unwrap } from '../../src/wasm/emscripten_module.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { inFile, sourceFailed, SusurrusError } from '../../src/api/errors.js';
import type { Inspector } from '../files/files.mjs';
import { copiedMetadata } from '../files/model_metadata.js';
import type { FilesModule } from '../files/module.js';
import type { PartFile } from '../../src/protocol/link.js';
import { factsOf, type OnRead, type OpenedCheckpoint } from './checkpoint.js';
import type { JsonObject } from './json_files.js';
import {
  isJsonText,
  refusalNote,
  readRange,
  type SourceFolder,
} from '../../src/platform/source_folder.js';

/** Whether a file is of the APR family, or a JSON text, which may be the manifest of a model in shards. */
export async function isAprModel(folder: SourceFolder, file: string): Promise<boolean> {
  const first = await readRange(folder, file, 0, 64);
  return isJsonText(first) || new TextDecoder().decode(first).startsWith('APR');
}

/** Reads a model to its end, all shards of it. */
export async function openAprModel(
  module: FilesModule,
  folder: SourceFolder,
  file: string,
  yielder: YieldController,
  onRead: OnRead,
  filterbank: FilterbankChoice,
): Promise<OpenedCheckpoint> {
  const isManifest = isJsonText(await readRange(folder, file, 0, 64));
  const core = new module.Inspector();
  core.setFilterbank(filterbank);
  try {
    // Progress counts the shards, not the manifest.
    await readToEnd(core, folder, file, yielder, isManifest ? () => undefined : onRead);
    const shards = JSON.parse(core.missingFiles()) as PartFile[];
    const total = shards.reduce((sum, { byteCount }) => sum + byteCount, 0);
    let before = 0;
    for (const { name, byteCount } of shards) {
      const begin = before;
      await readToEnd(core, folder, name, yielder, (loaded) => onRead(begin + loaded, total));
      before += byteCount;
    }
    refuseEncrypted(core);
    return {
      files: shards.length > 0 ? shards.map(({ name }) => name) : [file],
      core,
      facts: factsOf(core),
      metadata: JSON.parse(copiedMetadata(core)) as JsonObject,
    };
  } catch (error) {
    core.delete();
    throw inFile(file, error);
  }
}

async function readToEnd(
  core: Inspector,
  folder: SourceFolder,
  file: string,
  yielder: YieldController,
  onRead: OnRead,
): Promise<void> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) {
    throw sourceFailed(file, `there is no such file${refusalNote(folder, file)}`);
  }
  core.setByteCount(byteCount);
  let loaded = 0;
  for await (const piece of folder.read(file, 0, byteCount)) {
    await pushThroughWindow(core, piece, (count) => core.push(count), yielder);
    loaded += piece.length;
    onRead(loaded, byteCount);
  }
  unwrap(core.finish());
}

function refuseEncrypted(core: Inspector): void {
  const { flags } = JSON.parse(core.facts()) as { readonly flags: string };
  if (!flags.split(' ').includes('ENCRYPTED')) return;
  throw new SusurrusError('unsupported_feature', 'encrypted models are not converted.', {
    reason: 'unsupported',
    subject: 'flags',
    expected: 'a model that is not encrypted: convert what it was made from',
    got: flags,
  });
}

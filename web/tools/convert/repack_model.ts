// An APR2 model from one file into shards, and back. Tensors stay as they are stored.
import type { RepackResult, RepackOptions, ShardOptions } from '../../src/api/types.js';
import { unwrap } from '../../src/wasm/emscripten_module.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { invalidOption, sourceFailed } from '../../src/api/errors.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import type { Inspector, Repacker } from '../files/files.mjs';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { Platform } from '../../src/platform/platform.js';
import { copiedMetadata } from '../files/model_metadata.js';
import { openFiles } from '../files/node_module.js';
import { writeText } from '../files/text_window.js';
import {
  asPath,
  baseName,
  folderOf,
  withFolder,
  writeFiles,
} from '../../src/platform/node_files.js';
import { repacking } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import { readFiles } from '../../src/sources/read_source.js';
import type { PartFile } from '../../src/protocol/link.js';
import { checkWhisperName } from './file_names.js';
import { isObject } from './json_files.js';
import { lostDigests } from './metadata.js';
import { alignmentCheck, ModelFiles, shardSizeCheck, type PlannedFile } from './model_files.js';
import type { CreateFile } from '../../src/platform/output.js';

const commonChecks = {
  alignment: alignmentCheck,
  force: flag,
  onProgress: progressCheck,
  signal: signalCheck,
};

/** What the source is opened with. */
type Opener = Pick<Platform, 'openPath' | 'compileFiles'>;

export async function shardModelOn(
  platform: Opener,
  source: string | URL,
  folder: string | URL,
  options: ShardOptions,
): Promise<RepackResult> {
  checkOptions(options, { size: shardSizeCheck, ...commonChecks });
  const size: unknown = options.size;
  if (size === undefined) throw invalidOption('size', shardSizeCheck[0], size);
  const destination = `${asPath(folder)}/${baseName(source)}`;
  return withProgress(repacking, options, (watched) =>
    withFolder(asPath(folder), () => repack(platform, source, destination, watched.size, watched)),
  );
}

export async function unshardModelOn(
  platform: Opener,
  manifest: string | URL,
  destination: string | URL,
  options: RepackOptions,
): Promise<RepackResult> {
  checkOptions(options, commonChecks);
  return withProgress(repacking, options, (watched) =>
    repack(platform, manifest, destination, 0, watched),
  );
}

async function repack(
  platform: Opener,
  source: string | URL,
  destination: string | URL,
  shardSize: number,
  options: Watched<RepackOptions>,
): Promise<RepackResult> {
  const { alignment = 64, force = false, signal } = options;
  throwIfAborted(signal);
  checkWhisperName(baseName(destination));
  const module = await openFiles();
  const inspector = new module.Inspector();
  const repacker = new module.Repacker();
  const yielder = new YieldController(signal ?? new AbortController().signal);
  try {
    return await writeFiles(destination, force, async (create) => {
      await readModel(platform, inspector, source, yielder, options);
      const { text, warnings } = newMetadata(inspector);
      writeText(repacker, text, 'metadata');
      unwrap(repacker.plan(inspector, shardSize, alignment));
      const manifest = shardSize > 0 ? baseName(destination) : undefined;
      const copied = await copyTensors(
        repacker,
        inspector,
        source,
        create,
        manifest,
        yielder,
        options,
      );
      return { ...copied, warnings };
    });
  } catch (error) {
    throw abortedOr(signal, error);
  } finally {
    repacker.delete();
    inspector.delete();
  }
}

/** Verifies the source on the way. */
async function readModel(
  platform: Opener,
  inspector: Inspector,
  source: string | URL,
  yielder: YieldController,
  { onProgress, signal }: Watched<RepackOptions>,
): Promise<void> {
  const opened = await platform.openPath(source);
  if (!opened) throw sourceFailed(String(source), 'only files are put into shards; download it');
  await readFiles(
    opened,
    {
      protection: 'stored',
      compileFiles: () => platform.compileFiles(),
      begin: (byteCount) => {
        if (byteCount !== undefined) inspector.setByteCount(byteCount);
        return Promise.resolve();
      },
      push: (bytes) =>
        pushThroughWindow(inspector, bytes, (count) => inspector.push(count), yielder),
      endFile: () => {
        unwrap(inspector.finish());
        return Promise.resolve(JSON.parse(inspector.missingFiles()) as PartFile[]);
      },
    },
    { phase: 'inspect', onProgress, signal },
  );
}

interface CoreFacts {
  readonly shards: readonly { readonly file: string }[];
  readonly warnings: readonly string[];
}

/** The metadata without what is only true of how the file was laid out. */
function newMetadata(inspector: Inspector): { text: Uint8Array; warnings: readonly string[] } {
  const text = copiedMetadata(inspector);
  const { warnings } = JSON.parse(inspector.facts()) as CoreFacts;
  const metadata: unknown = JSON.parse(text);
  const encoded = (json: string): Uint8Array => new TextEncoder().encode(json);
  if (!isObject(metadata) || !('piece_digests' in metadata)) {
    return { text: encoded(text), warnings };
  }
  const rest = { ...metadata, piece_digests: undefined, model_digest: undefined };
  return { text: encoded(JSON.stringify(rest)), warnings: [...warnings, lostDigests] };
}

async function copyTensors(
  repacker: Repacker,
  inspector: Inspector,
  source: string | URL,
  create: CreateFile,
  manifest: string | undefined,
  yielder: YieldController,
  { onProgress }: Watched<RepackOptions>,
): Promise<Omit<RepackResult, 'warnings'>> {
  const planned = (): PlannedFile[] => JSON.parse(repacker.files()) as PlannedFile[];
  const { shards } = JSON.parse(inspector.facts()) as CoreFacts;
  const names = shards.length > 0 ? shards.map(({ file }) => file) : [baseName(source)];
  const folder = folderOf(source);
  const output = new ModelFiles(create, planned(), manifest);
  const drain = async (): Promise<void> => {
    if (repacker.output().length === 0) return;
    // A view of the module's heap: valid until the next call.
    await output.write(repacker.output());
    repacker.consumeOutput();
  };
  const ranges = Array.from({ length: repacker.tensorCount() }, (_, i) => repacker.sourceRange(i));
  const total = ranges.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let loaded = 0;
  for (const [tensor, { file, offset, byteCount }] of ranges.entries()) {
    const name = names[file] ?? '';
    await output.begin(tensor);
    let copied = 0;
    for await (const piece of folder.read(name, offset, byteCount)) {
      copied += piece.length;
      await pushThroughWindow(repacker, piece, (count) => repacker.push(count), yielder, drain);
    }
    if (copied < byteCount) throw sourceFailed(name, 'it became shorter while it was read');
    unwrap(repacker.finishTensor());
    await drain();
    loaded += byteCount;
    onProgress?.({ phase: 'convert', loaded, total, fraction: total === 0 ? 1 : loaded / total });
  }
  unwrap(repacker.finish());
  await drain();
  const files = await output.finish(planned());
  return {
    byteCount: output.byteCount,
    tensorCount: ranges.length,
    ...(files.length > 0 && { files }),
  };
}

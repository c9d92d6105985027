import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as CacheEntry from '../../web/src/node_cache.js';
import type * as FilesEntry from '../../web/src/node_files.js';
import type * as GraphEntry from '../../web/src/node_graph.js';
import type * as NodeEntry from '../../web/src/node.js';
import type { AnyTranscribeOptions, LoadOptions, ModelSource } from '../../web/src/node.js';
import { projectRoot } from './shared_folder.js';

/** What the entries of the package export, together. */
export type BuiltPackage = typeof NodeEntry &
  typeof FilesEntry &
  typeof GraphEntry &
  typeof CacheEntry;

const importBuilt = async (file: string): Promise<object> =>
  (await import(pathToFileURL(join(projectRoot, 'dist', file)).href)) as object;

/**
 * The package as it is built for Node: susurrus, susurrus/files, susurrus/graph and susurrus/cache in one object. Where
 * SUSURRUS_TEST_THREADS is set, models have so many threads that are loaded without saying: every suite can be run that way, the
 * goldens above all.
 *
 * Its models hear silence too unless a call says otherwise, since they are compared with a reference that has no voice detector;
 * `hasDetector`: they are as the package has them.
 */
export async function builtPackage({ hasDetector = false } = {}): Promise<BuiltPackage> {
  const built = {} as BuiltPackage;
  // One after the other: Jest's loader fails where two imports meet at a file that both want.
  for (const file of ['node.mjs', 'model_files.node.mjs', 'graph.node.mjs', 'cache.node.mjs']) {
    Object.assign(built, await importBuilt(file));
  }
  const threads = Number(process.env.SUSURRUS_TEST_THREADS ?? 1);
  const { loadModel } = built;
  const load = async (source: ModelSource, options?: LoadOptions) => {
    const model = await (threads === 1
      ? loadModel(source, options)
      : loadModel(source, { threads, ...options }));
    return hasDetector ? model : withoutDetector(model);
  };
  return { ...built, loadModel: load as typeof loadModel };
}

type Transcribing = Pick<Awaited<ReturnType<BuiltPackage['loadModel']>>, 'transcribe'>;

function withoutDetector<Model extends Transcribing>(model: Model): Model {
  const { transcribe } = model;
  const hearAll = function (
    this: Model,
    audio: Parameters<typeof transcribe>[0],
    options: AnyTranscribeOptions | null = {},
  ) {
    const isPlain = options !== null && !('from' in options);
    return transcribe.call(this, audio, (isPlain ? { vad: false, ...options } : options) as object);
  };
  return Object.assign(model, { transcribe: hearAll });
}

/** Runs the built command line and returns what it printed; fails where it fails. */
export function susurrus(...args: string[]): string {
  const cli = join(projectRoot, 'dist/cli.mjs');
  return execFileSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
}

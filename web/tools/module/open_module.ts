// openModule(): a network that is run by name, in a module of its own.
import type {
  GraphModule,
  ModelSource,
  ModuleDescription,
  ModuleInput,
  ModuleOutput,
  ModuleShapes,
  ModuleTensor,
  OpenModuleOptions,
} from '../../src/api/types.js';
import { checkAssets } from '../../src/api/assets.js';
import { checkOptions } from '../../src/api/options.js';
import { loading } from '../../src/api/overall_progress.js';
import { withProgress } from '../../src/api/progress_callback.js';
import { throwIfAborted } from '../../src/api/signals.js';
import { Queue } from '../../src/model/queue.js';
import { disposedOf, endWhenForgotten } from '../../src/model/forgotten.js';
import type { Platform } from '../../src/platform/platform.js';
import type { GraphFacts, NetworksLink } from '../../src/protocol/networks.js';
import { loadOptionChecks } from '../../src/sources/load_options.js';
import { openSource } from '../../src/sources/open_source.js';
import { readOpening } from '../../src/sources/read_source.js';
import { describeWith, shapesFor } from './describe.js';
import { packInputs, unpackOutputs } from './tensors.js';

class LinkedModule implements GraphModule {
  readonly format: string;
  readonly inputs: readonly ModuleInput[];
  readonly outputs: readonly string[];
  readonly warnings: readonly string[];
  readonly weightBytes: number;
  readonly #link: NetworksLink;
  readonly #queue = new Queue();

  constructor(link: NetworksLink, facts: GraphFacts) {
    this.#link = link;
    this.format = facts.format;
    this.inputs = facts.inputs as readonly ModuleInput[];
    this.outputs = facts.outputs;
    this.warnings = facts.warnings;
    this.weightBytes = facts.weightBytes;
    endWhenForgotten(this, link);
  }

  async run(
    inputs: Readonly<Record<string, ModuleTensor>> | readonly ModuleTensor[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly ModuleOutput[]> {
    checkOptions(options, { signal: loadOptionChecks.signal });
    const { signal } = options;
    const { facts, data } = packInputs(inputs);
    const answer = await this.#queue.run(
      () => this.#link.call('runGraph', { inputs: facts, data }, { signal, givesAway: true }),
      signal,
    );
    return unpackOutputs(answer.outputs, answer.data);
  }

  async describe(
    shapes?: ModuleShapes,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ModuleDescription> {
    checkOptions(options, { signal: loadOptionChecks.signal });
    const { signal } = options;
    const wanted = shapesFor(this.inputs, shapes);
    return this.#queue.run(
      () =>
        describeWith(this.inputs, wanted, (inputs) =>
          this.#link.call('describeGraph', { inputs }, { signal }),
        ),
      signal,
    );
  }

  dispose(): void {
    disposedOf(this);
    this.#link.close();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }
}

export async function openModuleOn(
  usualPlatform: Platform,
  source: ModelSource,
  options: OpenModuleOptions,
): Promise<GraphModule> {
  const { signal, onProgress, variant, assets } = loadOptionChecks;
  checkOptions(options, { signal, onProgress, variant, assets });
  if (options.assets) checkAssets(options.assets);
  const platform = options.assets ? usualPlatform.withAssets(options.assets) : usualPlatform;
  throwIfAborted(options.signal);
  return withProgress(loading, options, async (watched, finish) => {
    const link = platform.openNetworks();
    const { facts } = await readOpening(
      openSource(source, platform, watched.signal),
      {
        phase: 'load',
        protection: 'plain',
        compileFiles: () => platform.compileFiles(),
        start: () =>
          link.call('start', { variant: options.variant, threads: 1, module: undefined }),
        begin: (byteCount) =>
          link.call('beginFile', { byteCount, vocabulary: undefined, filterbank: undefined }),
        push: (bytes, givesAway) => link.call('pushLoad', { bytes }, { givesAway }),
        endFile: () => link.call('endFile', undefined),
        finish: async () => {
          const facts = await link.call('finishGraph', undefined);
          finish();
          return facts;
        },
        close: () => link.close(),
      },
      watched,
    );
    return new LinkedModule(link, facts);
  });
}

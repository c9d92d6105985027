import { unwrap } from '../engine/glue.js';
import { pushThroughWindow } from '../engine/windows.js';
import { wrongState } from '../errors.js';
import type { PartFile } from '../worker/link.js';
import { ModuleHost, type Handlers } from '../worker/module_host.js';
import { convertSteps } from './convert_steps.js';
import type { Inspector } from './files.mjs';
import { inspectionFacts } from './inspection.js';
import type { FilesModule } from './module.js';
import { onDemand } from './on_demand.js';
import type { ConversionStep, FilesCalls } from './protocol.js';

/** Owns the module that reads model files. */
export class FilesHost extends ModuleHost<FilesCalls> {
  readonly #open: () => Promise<FilesModule>;
  #module: FilesModule | undefined;
  #inspector: Inspector | undefined;
  #next: (() => Promise<ConversionStep | undefined>) | undefined;

  constructor(open: () => Promise<FilesModule>) {
    super();
    this.#open = open;
  }

  close(): void {
    this.#module = undefined;
  }

  protected readonly handlers: Handlers<FilesCalls, never> = {
    start: async () => {
      this.#module = await this.#open();
      return undefined;
    },
    beginFile: ({ byteCount }) => {
      if (!this.#inspector) {
        this.#inspector = new this.#started.Inspector();
        this.#inspector.describeAll();
      }
      if (byteCount !== undefined) this.#inspector.setByteCount(byteCount);
      return undefined;
    },
    pushInspect: async ({ bytes }, { pace }) => {
      const inspector = this.#opened;
      await pushThroughWindow(inspector, bytes, (count) => inspector.push(count), pace);
      return undefined;
    },
    endFile: () => {
      const inspector = this.#opened;
      unwrap(inspector.finish());
      return JSON.parse(inspector.missingFiles()) as PartFile[];
    },
    convert: ({ source, options }) => {
      const module = this.#started;
      this.#next = onDemand((give) => convertSteps(module, source, options, give));
      return undefined;
    },
    nextOutput: async () => {
      const step = await this.#next?.();
      if (!step) throw wrongState('Nothing is being converted.', 'files');
      return step;
    },
    finishInspect: () => inspectionFacts(this.#opened),
  };

  get #started(): FilesModule {
    if (!this.#module) throw wrongState('The module has not been started.', 'files');
    return this.#module;
  }

  get #opened(): Inspector {
    if (!this.#inspector) throw wrongState('No file is being read.', 'files');
    return this.#inspector;
  }
}

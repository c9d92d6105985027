import { unwrap } from '../../src/wasm/emscripten_module.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { wrongState } from '../../src/api/errors.js';
import type { PartFile } from '../../src/protocol/link.js';
import { ModuleHost, type Handlers } from '../../src/worker/module_host.js';
import type { InspectedStatistics } from '../../src/api/types.js';
import { composeHandlers } from './compose.js';
import { computeLogMel } from './compute_log_mel.js';
import { convertSteps } from './convert_steps.js';
import type { Inspector, TensorDecoder } from '../files/files.mjs';
import { inCamelCase, inSnakeCase, inspectionFacts, tokenTable } from '../files/inspection.js';
import type { FilesModule } from '../files/module.js';
import { onDemand } from './on_demand.js';
import type {
  ConversionStep,
  FilesCalls,
  PlannedMemory,
  TensorPiece,
} from '../../src/protocol/files.js';
import { joined } from '../../src/api/joined.js';

/** Result of checkpointFacts(). */
interface CheckpointFacts {
  readonly hasByteLevelText: boolean;
  readonly architecture?: { readonly n_mels: number };
}

/** Owns the module that reads model files. */
export class FilesHost extends ModuleHost<FilesCalls> {
  readonly #open: () => Promise<FilesModule>;
  #module: FilesModule | undefined;
  #inspector: Inspector | undefined;
  /** Whose descriptions were read. */
  readonly #models: Inspector[] = [];
  #decoder: TensorDecoder | undefined;
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
    beginFile: ({ byteCount, skims, full, runs }) => {
      if (!this.#inspector) {
        this.#inspector = new this.#started.Inspector();
        if (!runs) this.#inspector.describeAll();
        if (full) this.#inspector.showAll();
        if (skims === 'metadata') this.#inspector.skimMetadata();
        else if (skims) this.#inspector.skim();
      }
      if (byteCount !== undefined) this.#inspector.setByteCount(byteCount);
      return undefined;
    },
    pushInspect: async ({ bytes }, { yielder }) => {
      const inspector = this.#opened;
      await pushThroughWindow(inspector, bytes, (count) => inspector.push(count), yielder);
      return { skippable: inspector.skippable(), isDescribed: inspector.isDescribed() };
    },
    skipInspect: ({ byteCount }) => {
      this.#opened.skip(byteCount);
      return undefined;
    },
    endFile: () => {
      const inspector = this.#opened;
      unwrap(inspector.finish());
      return JSON.parse(inspector.missingFiles()) as PartFile[];
    },
    finishInspect: ({ full = false }) => {
      const inspector = this.#opened;
      this.#models.push(inspector);
      this.#inspector = undefined;
      return inspectionFacts(inspector, full);
    },
    readVocabulary: () => {
      const inspector = this.#first;
      return {
        bytes: inspector.vocabularyBytes().slice(),
        ends: Uint32Array.from(inspector.vocabularyEnds()),
        isByteLevel: (JSON.parse(inspector.checkpointFacts()) as CheckpointFacts).hasByteLevelText,
      };
    },
    readFilterbank: () => {
      const inspector = this.#first;
      const { architecture } = JSON.parse(inspector.checkpointFacts()) as CheckpointFacts;
      return {
        values: inspector.filterbank().slice(),
        melCount: architecture?.n_mels ?? 0,
      };
    },
    logMel: (request, { yielder }) => computeLogMel(this.#started, request, yielder),
    readTokens: () => tokenTable(this.#first),
    stateBytes: ({ dims, hasBlocks }) => {
      const type = hasBlocks ? 'q8_0' : 'f16';
      const text = this.#started.planConverted(JSON.stringify(inSnakeCase(dims)), type, 1, 1);
      const { plan } = JSON.parse(text) as Partial<PlannedMemory>;
      return plan ? plan.kvCacheBytes + plan.activationBytes : 0;
    },
    planModel: ({ threads, sequences }) =>
      plannedMemory(this.#started.planModel(this.#opened, threads, sequences)),
    planConverted: ({ dims, dtype, threads, sequences }) =>
      plannedMemory(
        this.#started.planConverted(JSON.stringify(inSnakeCase(dims)), dtype, threads, sequences),
      ),
    beginTensor: ({ tensor, counts }) => {
      this.#decoder?.delete();
      const decoder = (this.#decoder = new this.#started.TensorDecoder(counts));
      if ('name' in tensor) {
        const { name, dtype, size, scale, offset } = tensor;
        unwrap(decoder.startNumbers(name, dtype, size, scale, offset));
        return undefined;
      }
      const inspector = this.#models[tensor.model];
      if (!inspector) throw wrongState('The model has not been read.', 'files');
      const { tensor: place, byteCount } = tensor;
      unwrap(
        byteCount === undefined
          ? decoder.start(inspector, place)
          : decoder.startDecrypted(inspector, place, byteCount),
      );
      return undefined;
    },
    pushTensor: async ({ bytes }, { yielder }) => {
      const decoder = this.#decoding;
      const pieces: TensorPiece[] = [];
      const push = (count: number): string => {
        const error = decoder.push(count);
        pieces.push({ values: decoder.values().slice(), bytes: decoder.stored().slice() });
        return error;
      };
      await pushThroughWindow(decoder, bytes, push, yielder);
      return {
        values: joined(
          pieces.map(({ values }) => values),
          Float32Array,
        ),
        bytes: joined(
          pieces.map((piece) => piece.bytes),
          Uint8Array,
        ),
      };
    },
    endTensor: () => {
      const decoder = this.#decoding;
      unwrap(decoder.finish());
      return JSON.parse(decoder.statistics()) as InspectedStatistics;
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
    ...composeHandlers(() => this.#started),
  };

  get #started(): FilesModule {
    if (!this.#module) throw wrongState('The module has not been started.', 'files');
    return this.#module;
  }

  get #opened(): Inspector {
    if (!this.#inspector) throw wrongState('No file is being read.', 'files');
    return this.#inspector;
  }

  get #first(): Inspector {
    const [first] = this.#models;
    if (!first) throw wrongState('No file has been read.', 'files');
    return first;
  }

  get #decoding(): TensorDecoder {
    if (!this.#decoder) throw wrongState('No tensor is being read.', 'files');
    return this.#decoder;
  }
}

/** Reads the result of planModel() or planConverted(): returns the plan, or throws its error. */
function plannedMemory(text: string): PlannedMemory {
  const { error, plan, dims } = JSON.parse(text) as {
    readonly error?: unknown;
    readonly plan: PlannedMemory['plan'];
    readonly dims: object;
  };
  if (error !== undefined) unwrap(JSON.stringify(error));
  return { plan, dims: inCamelCase(dims) };
}

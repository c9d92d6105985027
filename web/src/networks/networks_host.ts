// Owns one module that runs graphs, with one model or graph in it, in whichever thread it lives.
import type { SusurrusError } from '../api/errors.js';
import { invalidOption, wrongState } from '../api/errors.js';
import { Arrivals } from '../engine/arrivals.js';
import { RunningHost } from '../engine/running_host.js';
import { checked } from '../engine/stepping.js';
import type { TranscriptionEngine } from '../engine/transcribing.js';
import { chooseVariant } from '../engine/variant.js';
import type { Variant } from '../api/types.js';
import type { LoadedFacts, WhisperCalls } from '../protocol/engine.js';
import { checkWhisper } from '../protocol/families.js';
import type {
  GraphDescription,
  GraphFacts,
  NetworksCalls,
  TensorFacts,
} from '../protocol/networks.js';
import { unwrap } from '../wasm/emscripten_module.js';
import { pushThroughWindow } from '../wasm/windows.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { Handlers } from '../worker/module_host.js';
import type { EngineEvent } from '../protocol/engine.js';
import type { GraphModule, Loader, MainModule, Model } from './networks.mjs';
import { SpeakerFindings } from './speaker_findings.js';
import { SpeechDetectors } from './speech_detectors.js';
import { joined } from '../api/joined.js';

export type NetworksModule = MainModule;
export type NetworksSource = (variant: Variant) => Promise<NetworksModule>;

export class NetworksHost extends RunningHost<NetworksCalls> {
  readonly #open: NetworksSource;
  readonly #arrivals = new Arrivals();
  readonly #speech = new SpeechDetectors();
  readonly #speakers = new SpeakerFindings();
  #module: NetworksModule | undefined;
  #loader: Loader | undefined;
  #model: Model | undefined;
  #graph: GraphModule | undefined;

  constructor(open: NetworksSource) {
    super();
    this.#open = open;
  }

  close(): void {
    this.#module = undefined;
  }

  protected readonly handlers: Handlers<NetworksCalls, EngineEvent> = {
    ...this.running,
    ...onlyWhisper(() => this.facts.family),

    start: async ({ variant: wanted, module }) => {
      if (module) throw notOurs('module');
      const choice = await chooseVariant(wanted);
      this.#module = await this.#open(choice.variant);
      return choice;
    },
    // Networks have one thread.
    pushHead: () => 0,
    makeThreads: () => {
      throw wrongState('Networks run in one thread.');
    },
    beginFile: ({ byteCount, vocabulary, filterbank, dtype, text, expectedText }) => {
      if (text) {
        unwrap(this.#loading.beginText(text, byteCount ?? -1));
        return undefined;
      }
      if (vocabulary) throw notOurs('vocabulary');
      if (filterbank) throw notOurs('filterbank');
      const loader = (this.#loader = new this.opened.Loader());
      if (byteCount !== undefined) loader.setByteCount(byteCount);
      if (dtype !== undefined) unwrap(loader.setWeights(dtype));
      if (expectedText !== undefined) loader.expectText(expectedText);
      return undefined;
    },
    pushLoad: async ({ bytes }, { yielder }) => {
      const loader = this.#loading;
      await pushThroughWindow(loader, bytes, (count) => loader.push(count), yielder);
      return undefined;
    },
    endFile: () => {
      unwrap(this.#loading.finish());
      return [];
    },
    finishLoad: () => {
      const model = new this.opened.Model();
      unwrap(model.create(this.#loading));
      this.#endLoading();
      this.#model = model;
      return this.facts;
    },

    beginSpeech: ({ model }) => this.#speech.begin(this.opened, model),
    hearSpeech: ({ id, samples }, { yielder }) => this.#speech.hear(id, samples, yielder),
    endSpeech: ({ id }) => {
      this.#speech.end(id);
      return undefined;
    },

    pushSpeakerModel: async ({ bytes }, { yielder }) => {
      await this.#speakers.push(this.opened, bytes, yielder);
      return undefined;
    },
    endSpeakerModel: () => {
      this.#speakers.finish(this.opened);
      return undefined;
    },
    beginSpeakers: (limits) => this.#speakers.begin(this.opened, limits),
    hearSpeakers: async (request, { yielder }) => {
      await this.#speakers.hear(this.opened, request, yielder);
      return undefined;
    },
    settleSpeakers: ({ id }, { yielder }) => this.#speakers.settle(this.opened, id, yielder),
    findSpeakers: ({ id }, { yielder }) => this.#speakers.find(this.opened, id, yielder),
    endSpeakers: ({ id }) => {
      this.#speakers.end(id);
      return undefined;
    },

    finishGraph: () => {
      const graph = new this.opened.GraphModule();
      unwrap(graph.create(this.#loading));
      this.#endLoading();
      this.#graph = graph;
      return JSON.parse(graph.facts()) as GraphFacts;
    },
    describeGraph: ({ inputs }) => {
      unwrap(this.#graphLoaded.describe(JSON.stringify(inputs)));
      return JSON.parse(this.#graphLoaded.description()) as GraphDescription;
    },
    runGraph: ({ inputs, data }, { yielder }) => this.#run(inputs, data, yielder),
  };

  protected limitThreads(): void {
    // It has one.
  }

  protected get opened(): NetworksModule {
    if (!this.#module) throw wrongState('The engine holds no model.');
    return this.#module;
  }

  protected get transcriptionEngine(): TranscriptionEngine {
    return {
      module: this.opened,
      model: this.#loaded,
      arrivals: this.#arrivals,
      hasEncoded: () => false,
    };
  }

  protected get facts(): LoadedFacts {
    return JSON.parse(this.#loaded.facts()) as LoadedFacts;
  }

  get #loaded(): Model {
    if (!this.#model) throw wrongState('The engine holds no model.');
    return this.#model;
  }

  get #graphLoaded(): GraphModule {
    if (!this.#graph) throw wrongState('The engine holds no module.');
    return this.#graph;
  }

  get #loading(): Loader {
    if (!this.#loader) throw wrongState('The engine holds no model.');
    return this.#loader;
  }

  #endLoading(): void {
    this.#loader?.delete();
    this.#loader = undefined;
  }

  async #run(
    inputs: readonly TensorFacts[],
    data: Uint8Array,
    yielder: YieldController,
  ): Promise<{ outputs: readonly TensorFacts[]; data: Uint8Array }> {
    const graph = this.#graphLoaded;
    unwrap(graph.prepare(JSON.stringify(inputs)));
    let at = 0;
    for (const index of inputs.keys()) {
      const window = graph.inputWindow(index);
      window.set(data.subarray(at, at + window.length));
      at += window.length;
    }
    while (checked(graph, this.opened, graph.step(yielder.left)) !== this.opened.Step.done) {
      await yielder.step();
    }
    const outputs = JSON.parse(graph.outputs()) as TensorFacts[];
    const parts = outputs.map((_, index) => graph.output(index).slice());
    return { outputs, data: joined(parts, Uint8Array) };
  }
}

const notOurs = (option: string): SusurrusError =>
  invalidOption(option, 'absent: only Whisper models have it', 'one');

/** What is asked of a Whisper alone is rejected by its name. */
function onlyWhisper(family: () => string): Handlers<WhisperCalls, EngineEvent> {
  const refuse = (): never => {
    checkWhisper(family(), 'such calls');
    throw wrongState('This engine runs no Whisper.');
  };
  return {
    logMel: refuse,
    encode: refuse,
    logits: refuse,
    copy: refuse,
    adopt: refuse,
    tokenize: refuse,
    detokenize: refuse,
    decode: refuse,
    detectLanguage: refuse,
    score: refuse,
    align: refuse,
  };
}

// Owns one engine and answers requests, in whichever thread it lives.
import { SusurrusError, wrongState } from '../api/errors.js';
import { checkWhisper } from '../protocol/families.js';
import { Arrivals } from './arrivals.js';
import { listen, type WindowRequest, type WindowTask } from './decoding.js';
import type { EngineHolder, Loader, Model } from './engine.mjs';
import { unwrap } from '../wasm/emscripten_module.js';
import { inSharedMemory, notThisEngine } from './engine_errors.js';
import {
  takeMemory,
  type EngineModule,
  type EngineSource,
  type OpenedEngine,
} from './engine_module.js';
import { setMelWindow, wholeLogMel, windowLogMel } from './mel.js';
import type { EngineCalls, EngineEvent, LoadedFacts } from '../protocol/engine.js';
import type { PartFile } from '../protocol/link.js';
import type { Handlers } from '../worker/module_host.js';
import { RunningHost } from './running_host.js';
import type { TranscriptionEngine } from './transcribing.js';
import { chooseVariant } from './variant.js';
import { pushThroughWindow } from '../wasm/windows.js';
import type { YieldController } from '../wasm/yield_controller.js';

export class EngineHost extends RunningHost<EngineCalls> {
  readonly #openEngine: EngineSource;
  #module: EngineModule | undefined;
  #endThreads: (() => void) | undefined;
  /** Until the head of the file is read. */
  #makeThreads: OpenedEngine['makeThreads'];
  #limitThreads: OpenedEngine['limitThreads'];
  #threads = 1;
  /** Limit of the memory that threads share; undefined without threads. */
  #mostBytes: number | undefined;
  #isClosed = false;
  #loader: Loader | undefined;
  #isEarly = false;
  readonly #arrivals = new Arrivals();
  #model: Model | undefined;
  #family = '';

  constructor(openEngine: EngineSource) {
    super();
    this.#openEngine = openEngine;
  }

  /** Ends the engine's threads, also those that are just being started. */
  close(): void {
    this.#isClosed = true;
    this.#endThreads?.();
  }

  override async handle<Name extends keyof EngineCalls>(
    name: Name,
    request: EngineCalls[Name]['request'],
    signal: AbortSignal,
    emit: (event: EngineEvent) => void,
  ): Promise<EngineCalls[Name]['answer']> {
    try {
      return await super.handle(name, request, signal, emit);
    } catch (error) {
      throw this.#mostBytes === undefined ? error : inSharedMemory(error, this.#mostBytes);
    }
  }

  protected readonly handlers: Handlers<EngineCalls, EngineEvent> = {
    ...this.running,

    start: async ({ variant: wanted, threads, module: compiled }) => {
      const choice = await chooseVariant(wanted);
      const opened = await this.#openEngine(choice.variant, threads, compiled).catch(
        (error: unknown) => {
          throw compiled && !(error instanceof SusurrusError) ? notThisEngine(error) : error;
        },
      );
      const { module } = opened;
      // Another module of the package may link as well.
      if (compiled && !('WindowWork' in module)) throw notThisEngine('it does other work');
      this.#threads = threads;
      this.#use(opened);
      if (!compiled) return choice;
      const variant = module.kernelVariant() === 'relaxed' ? 'relaxed' : 'simd';
      return { variant, reason: 'compiled by the caller' };
    },

    beginFile: ({ byteCount, vocabulary, filterbank, early }) => {
      const isFirst = this.#loader === undefined;
      if (isFirst) this.#isEarly = early === true;
      const loader = (this.#loader ??= new this.#engine.Loader());
      if (byteCount !== undefined) loader.setByteCount(byteCount);
      if (isFirst && filterbank) loader.setFilterbank(filterbank);
      if (isFirst && vocabulary) {
        unwrap(loader.startVocabulary(vocabulary.length));
        loader.vocabularyWindow().set(vocabulary);
        unwrap(loader.setVocabulary());
      }
      return undefined;
    },
    pushHead: async ({ bytes }, { yielder }) => {
      const loader = this.#opened(this.#loader);
      for (let at = 0; at < bytes.length && loader.mostBytes(this.#threads) === 0;) {
        const window = loader.inputWindow(bytes.length - at);
        window.set(bytes.subarray(at, at + window.length));
        const error = loader.push(window.length || bytes.length - at);
        // Weights find no room here; what they need is known by then.
        if (loader.mostBytes(this.#threads) === 0) unwrap(error);
        at += window.length;
        await yielder.step();
      }
      return loader.mostBytes(this.#threads);
    },
    makeThreads: async ({ mostBytes }) => {
      const makeThreads = this.#opened(this.#makeThreads);
      this.#loader = undefined;
      this.#module = undefined;
      this.#use(await makeThreads(mostBytes));
      this.#mostBytes = mostBytes;
      return undefined;
    },
    copy: () => {
      const model = this.#loaded;
      const end = this.#engine.heapEnd();
      const memory = (this.#engine.HEAPU8 as Uint8Array).slice(0, end);
      return { memory, model: model.address(), mostBytes: this.#mostBytes };
    },
    adopt: async ({ memory, model: address, mostBytes, threads }) => {
      if (mostBytes === undefined) takeMemory(this.#engine, memory);
      else {
        const makeThreads = this.#opened(this.#makeThreads);
        this.#module = undefined;
        this.#use(await makeThreads(mostBytes, { memory, threads }));
        this.#mostBytes = mostBytes;
      }
      return this.#took(this.#opened(this.#engine.modelAt(address) ?? undefined));
    },
    pushLoad: async ({ bytes }, { yielder }) => {
      const loader = this.#opened(this.#loader);
      await pushThroughWindow(loader, bytes, (count) => loader.push(count), yielder);
      this.#arrivals.tell();
      return this.#isEarly && loader.canBegin() ? this.#takeModel(loader) : undefined;
    },
    endFile: () => {
      const loader = this.#opened(this.#loader);
      unwrap(loader.finish());
      return JSON.parse(loader.missingFiles()) as PartFile[];
    },
    finishLoad: () => {
      const loader = this.#opened(this.#loader);
      const facts = this.#model ? loadedFacts(this.#model) : this.#takeModel(loader);
      loader.delete();
      this.#loader = undefined;
      this.#arrivals.tell();
      return facts;
    },

    logMel: ({ samples, mode }, { yielder }) =>
      mode === 'whole'
        ? wholeLogMel(this.#whisper, samples, yielder)
        : windowLogMel(this.#whisper, samples),
    encode: async ({ mel }, { yielder }) => {
      const model = this.#whisper;
      setMelWindow(model, mel);
      model.beginEncode();
      while (!model.encodeStep(yielder.left)) await yielder.step();
      return model.encoderOutput().slice();
    },
    logits: async ({ tokens }, { yielder }) => {
      const model = this.#whisper;
      this.#setTokens(model, tokens);
      unwrap(model.beginLogits(false));
      while (!model.logitsStep(yielder.left)) await yielder.step();
      return model.logits().slice();
    },
    tokenize: ({ text }) => Array.from(this.#whisper.tokenize(text)),
    detokenize: ({ tokens }) => {
      const model = this.#whisper;
      this.#setTokens(model, tokens);
      return JSON.parse(model.detokenize()) as string;
    },
    decode: ({ samples, settings: options }, { yielder }) =>
      this.#listen('decode', samples, { options }, yielder),
    detectLanguage: ({ samples, settings: options }, { yielder }) =>
      this.#listen('detectLanguage', samples, { options }, yielder),
    score: ({ samples, candidates, settings: options }, { yielder }) =>
      this.#listen('score', samples, { options, candidates }, yielder),
    align: ({ samples, text, settings: options }, { yielder }) =>
      this.#listen('align', samples, { options, text }, yielder),
  };

  protected get transcriptionEngine(): TranscriptionEngine {
    const model = this.#loaded;
    return {
      module: this.#engine,
      model,
      arrivals: this.#arrivals,
      hasEncoded: () => this.#family === 'whisper' && model.encoderOutput().length > 0,
    };
  }

  protected override limitThreads(most: number): void {
    this.#limitThreads?.(most);
  }

  protected override modelBeside(): EngineHolder {
    const model = new this.#engine.BesideModel();
    try {
      unwrap(model.create(this.#whisper));
    } catch (error) {
      model.delete();
      throw error;
    }
    return model;
  }

  protected get opened(): EngineModule {
    return this.#engine;
  }

  protected get facts(): LoadedFacts {
    return loadedFacts(this.#loaded);
  }

  #use({ module, endThreads, makeThreads, limitThreads }: OpenedEngine): void {
    this.#module = module;
    this.#endThreads = endThreads;
    this.#makeThreads = makeThreads;
    this.#limitThreads = limitThreads;
    if (this.#isClosed) this.close();
  }

  get #engine(): EngineModule {
    return this.#opened(this.#module);
  }

  get #loaded(): Model {
    return this.#opened(this.#model);
  }

  /** For what only a Whisper is asked. */
  get #whisper(): Model {
    const model = this.#loaded;
    checkWhisper(this.#family, 'such calls');
    return model;
  }

  #takeModel(loader: Loader): LoadedFacts {
    const model = new this.#engine.Model();
    unwrap(model.create(loader));
    return this.#took(model);
  }

  #took(model: Model): LoadedFacts {
    this.#model = model;
    const facts = loadedFacts(model);
    this.#family = facts.family;
    return facts;
  }

  #listen<Task extends WindowTask>(
    task: Task,
    samples: Float32Array,
    request: WindowRequest,
    yielder: YieldController,
  ): Promise<EngineCalls[Task]['answer']> {
    const engine = { module: this.#engine, model: this.#whisper, arrivals: this.#arrivals };
    return listen(engine, task, samples, request, yielder);
  }

  #opened<T>(part: T | undefined): T {
    if (part === undefined) throw wrongState('The engine holds no model.');
    return part;
  }

  #setTokens(model: Model, tokens: Uint32Array): void {
    const window = model.tokenWindow(tokens.length);
    if (window.length < tokens.length) {
      throw new SusurrusError('limit_exceeded', `${tokens.length} tokens are too many.`, {
        reason: 'limit',
        subject: 'tokens',
        expected: `at most ${window.length}`,
        got: String(tokens.length),
      });
    }
    window.set(tokens);
  }
}

const loadedFacts = (model: Model): LoadedFacts => JSON.parse(model.facts()) as LoadedFacts;

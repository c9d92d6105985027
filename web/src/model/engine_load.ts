// Loads a model file into an engine. An engine with threads gets its memory once the file's head shows how much it needs; if the memory
// cannot be allocated, an engine with one thread replaces it.
import type { LoadOptions, ModelFamily } from '../api/types.js';
import { disposedDuringWork, invalidOption, SusurrusError } from '../api/errors.js';
import { givenTexts, type BeamTextName } from './beam_texts.js';
import type { VariantChoice } from '../engine/variant.js';
import type { Platform } from '../platform/platform.js';
import { hasThreads, type ThreadChoice } from '../platform/threads.js';
import { checkAcoustic } from '../protocol/families.js';
import type { EngineCalls, EngineLink, LoadedFacts } from '../protocol/engine.js';
import type { PartFile } from '../protocol/link.js';
import { joined } from '../api/joined.js';
import { isDoneWithin } from '../api/signals.js';
import { EngineBeside } from './engine_beside.js';
import { checkFamily, familyOf, markBytes } from '../sources/model_family.js';
import { typeOfFile } from '../sources/model_name.js';

/** The maximum, for files whose head does not show the memory they need, such as other families than Whisper. */
const addressableBytes = 2 ** 32;

/** Milliseconds for making threads, a hundred times what two processors of a server take; then for all that comes before as well. */
const patience = { first: 5000, last: 45_000 };

type BeginFile = EngineCalls['beginFile']['request'];
type Step =
  | { readonly name: 'beginFile'; readonly request: BeginFile }
  | { readonly name: 'pushLoad'; readonly request: { readonly bytes: Uint8Array } }
  | { readonly name: 'endFile'; readonly request: undefined };

/** The binary that runs a model, and with how many threads. */
export type EngineChoice = VariantChoice &
  ThreadChoice &
  Pick<LoadOptions, 'workers'> & { readonly module?: WebAssembly.Module | undefined };

export class EngineLoad {
  readonly #platform: Platform;
  readonly #options: LoadOptions;
  #engine: EngineLink;
  #choice: ThreadChoice;
  #started: VariantChoice | undefined;
  #isClosed = false;
  /** Whether the engine is the one for models that run as graphs. */
  #runsNetworks: boolean;
  /** Until the family is known: what was begun, and its first bytes. */
  #undecided: { begun?: BeginFile; bytes: Uint8Array } | undefined = { bytes: new Uint8Array() };
  #family: ModelFamily | undefined;
  /** Calls for the engine that were made before it had its memory. */
  #head: Step[] | undefined;
  #beside: readonly EngineBeside[];
  /** After the load: engines with the same model, as many of those that were asked for as could be had. */
  further: readonly EngineLink[] = [];

  /** `looksLikeNetwork`: by its name the file is of a family that runs as a graph; its first bytes decide. */
  constructor(platform: Platform, options: LoadOptions, looksLikeNetwork: boolean) {
    this.#platform = platform;
    this.#options = options;
    const { module, threads } = options;
    this.#choice = platform.chooseThreads(threads);
    if (module) this.#choice = threadsOf(module, this.#choice);
    this.#runsNetworks = looksLikeNetwork || givenTexts(options).length > 0;
    this.#engine = this.#open();
    this.#beside = this.#openBeside();
  }

  /** After the load. */
  get engine(): EngineLink {
    return this.#engine;
  }

  get choice(): EngineChoice {
    const { module, workers = 'auto' } = this.#options;
    return { variant: 'simd', reason: '', ...this.#started, ...this.#choice, module, workers };
  }

  #open(): EngineLink {
    if (this.#runsNetworks) {
      this.#choice = { threads: 1, threadsReason: 'models of this family run in one thread' };
      return this.#platform.openNetworks();
    }
    if (this.#choice.threads > 1) this.#head = [];
    return this.#platform.openEngine(this.#choice.threads);
  }

  /** Those that are asked for, unless the model may be used before it is whole, or its engine's threads get their memory later. */
  #openBeside(): readonly EngineBeside[] {
    const { workers, early } = this.#options;
    const { threads } = this.#choice;
    if (typeof workers !== 'number' || early || threads > 1 || this.#runsNetworks) return [];
    if (this.#platform.device().whyOne !== undefined) return [];
    const opened: EngineBeside[] = [];
    try {
      while (opened.length < workers - 1) {
        opened.push(new EngineBeside(this.#platform.openFurtherEngine(1), workers - 1));
      }
    } catch {
      // The model's pool tries again, and says why there are fewer.
    }
    return opened;
  }

  async start(): Promise<void> {
    const { variant, module } = this.#options;
    const start = { variant, threads: this.#choice.threads, module };
    try {
      this.#started = await this.#engine.call('start', start);
    } catch (error) {
      await this.#goOnWithOneThread(error);
    }
    for (const each of this.#beside) each.start(this.choice, module);
  }

  async begin(request: BeginFile): Promise<void> {
    if (this.#undecided) this.#undecided.begun = request;
    this.#head?.push({ name: 'beginFile', request });
    const { dtype } = this.#options;
    const [expectedText] = givenTexts(this.#options);
    const forNetworks = { ...request, dtype, expectedText };
    for (const each of this.#beside) each.begin(request);
    await this.#engine.call('beginFile', this.#runsNetworks ? forNetworks : request);
  }

  /** After endFile() of the model. */
  async beginText(text: BeamTextName, byteCount: number | undefined): Promise<void> {
    const request = { byteCount, vocabulary: undefined, filterbank: undefined, text };
    await this.#engine.call('beginFile', request);
  }

  async pushText(bytes: Uint8Array, givesAway: boolean): Promise<void> {
    await this.#engine.call('pushLoad', { bytes }, { givesAway });
  }

  async endText(): Promise<void> {
    await this.#engine.call('endFile', undefined);
  }

  /** What is known of the model, once, when it may be used early. */
  async push(bytes: Uint8Array, givesAway: boolean): Promise<LoadedFacts | undefined> {
    if (this.#undecided) {
      const isFirst = this.#undecided.bytes.length === 0;
      const head = isFirst ? bytes : joined([this.#undecided.bytes, bytes], Uint8Array);
      if (head.length < markBytes) {
        this.#undecided.bytes = head.slice();
        return undefined;
      }
      await this.#decide(head);
      if (!isFirst) return this.push(head, true);
    }
    const begun = await this.#take(bytes, givesAway);
    // The engine has refused by now what only begins like a Whisper.
    checkFamily(this.#family, this.#options.family);
    return begun;
  }

  async #take(bytes: Uint8Array, givesAway: boolean): Promise<LoadedFacts | undefined> {
    if (!this.#head) {
      const beside = this.#beside.map((each) => each.push(bytes));
      const begun = await this.#engine.call('pushLoad', { bytes }, { givesAway });
      await Promise.all(beside);
      return begun;
    }
    // A copy, since the caller may reuse the memory of its bytes.
    this.#head.push({ name: 'pushLoad', request: { bytes: bytes.slice() } });
    const mostBytes = await this.#engine
      .call('pushHead', { bytes }, { givesAway })
      .catch((error: unknown) => {
        // The metadata needs more memory than this engine has.
        if (error instanceof SusurrusError && error.code === 'out_of_memory')
          return addressableBytes;
        throw error;
      });
    return mostBytes > 0 ? this.#makeThreads(mostBytes) : undefined;
  }

  /** Switches to the other engine if the file's first bytes demand it. */
  async #decide(head: Uint8Array): Promise<void> {
    const begun = this.#undecided?.begun;
    this.#undecided = undefined;
    this.#family = familyOf(head);
    const isNetwork = this.#family === 'transducer' || this.#family === 'acoustic';
    if (isNetwork) checkFamily(this.#family, this.#options.family);
    const { dtype } = this.#options;
    if (!isNetwork && dtype !== undefined) throw typeOfFile(dtype);
    const [text] = givenTexts(this.#options);
    if (!isNetwork && text !== undefined) checkAcoustic('whisper', `the option ${text}`);
    if (isNetwork === this.#runsNetworks) return;
    this.#closeBeside();
    this.#engine.close();
    if (this.#isClosed) return;
    this.#runsNetworks = isNetwork;
    this.#head = undefined;
    const { module, threads } = this.#options;
    this.#choice = this.#platform.chooseThreads(threads);
    if (module && !isNetwork) this.#choice = threadsOf(module, this.#choice);
    this.#engine = this.#open();
    await this.start();
    if (begun) await this.begin(begun);
  }

  async endFile(): Promise<readonly PartFile[]> {
    if (this.#undecided && this.#undecided.bytes.length > 0) {
      const { bytes } = this.#undecided;
      this.#undecided = undefined;
      await this.push(bytes, true);
    }
    this.#head?.push({ name: 'endFile', request: undefined });
    for (const each of this.#beside) each.endFile();
    const missing = await this.#engine.call('endFile', undefined);
    // No other family has manifests.
    if (missing.length > 0) checkFamily('whisper', this.#options.family);
    return missing;
  }

  async finish(): Promise<LoadedFacts> {
    if (this.#head) await this.#makeThreads(addressableBytes);
    const beside = Promise.all(this.#beside.map((each) => each.finish()));
    const facts = await this.#engine.call('finishLoad', undefined);
    this.further = (await beside).filter((engine) => engine !== undefined);
    if (this.#isClosed) throw disposedDuringWork();
    return facts;
  }

  close(): void {
    this.#isClosed = true;
    this.#closeBeside();
    this.#engine.close();
  }

  #closeBeside(): void {
    for (const each of this.#beside) each.close();
    this.#beside = [];
  }

  async #makeThreads(mostBytes: number): Promise<LoadedFacts | undefined> {
    const head = this.#head ?? [];
    this.#head = undefined;
    try {
      await this.#startThreads(mostBytes);
    } catch (error) {
      await this.#goOnWithOneThread(error);
    }
    let begun: LoadedFacts | undefined;
    for (const step of head) {
      if (step.name === 'pushLoad') begun ??= await this.#engine.call('pushLoad', step.request);
      else await this.#engine.call(step.name, step.request);
    }
    return begun;
  }

  /**
   * In Firefox `new Worker()` within a worker sometimes never returns (ESR 153: one load with threads in thirty). Then all begins once
   * more, in other workers and other memory.
   */
  async #startThreads(mostBytes: number): Promise<void> {
    const make = (): Promise<undefined> => this.#engine.call('makeThreads', { mostBytes });
    if (await isDoneWithin(patience.first, make())) return;
    const { variant, module } = this.#options;
    const { threads } = this.#choice;
    this.#engine.close();
    if (this.#isClosed) throw disposedDuringWork();
    this.#engine = this.#platform.openEngine(threads);
    const started = this.#engine.call('start', { variant, threads, module });
    if (await isDoneWithin(patience.last, started.then(make))) return;
    throw new SusurrusError('unsupported_environment', 'The workers for threads did not answer.', {
      reason: 'environment',
      subject: 'Worker',
    });
  }

  /** Shared memory may be refused, and not every browser supports nested workers. */
  async #goOnWithOneThread(error: unknown): Promise<void> {
    const { variant, module } = this.#options;
    // Closed: the source failed or the signal was aborted; the threads are not to blame.
    if (this.#choice.threads === 1 || this.#isClosed || module) throw error;
    this.#engine.close();
    const why = error instanceof Error ? error.message : String(error);
    this.#choice = { threads: 1, threadsReason: `threads did not start: ${why}` };
    this.#head = undefined;
    this.#engine = this.#platform.openEngine(1);
    this.#started = await this.#engine.call('start', { variant, threads: 1, module });
  }
}

/** The number of threads that a compiled engine is made for. */
function threadsOf(module: WebAssembly.Module, choice: ThreadChoice): ThreadChoice {
  if (!hasThreads(module)) {
    return { threads: 1, threadsReason: 'the module is an engine for one thread' };
  }
  if (choice.threads > 1) return choice;
  throw invalidOption(
    'module',
    `an engine for one thread here (${choice.threadsReason})`,
    'one with threads',
  );
}

// A further engine that takes a model's files while the model's own engine does: quicker than a copy, and in less memory. With `early` and
// with threads further engines are copies.
import type { VariantChoice } from '../engine/variant.js';
import type { EngineCalls, EngineLink } from '../protocol/engine.js';

type StepName = 'start' | 'beginFile' | 'pushLoad' | 'endFile' | 'finishLoad';

/** Bytes that all further engines of a load may be behind: what a file brings while a worker starts. */
const mostBehind = 2 ** 24;

export class EngineBeside {
  readonly #engine: EngineLink;
  readonly #mostBehind: number;
  /** The last call and all before it; rejected once one has failed. */
  #calls: Promise<unknown> = Promise.resolve();
  #behind = 0;
  #isLost = false;

  /** `count`: of those beside each other. */
  constructor(engine: EngineLink, count: number) {
    this.#engine = engine;
    this.#mostBehind = mostBehind / count;
  }

  /** The binary of the model's own engine, so that texts are the same. */
  start({ variant }: VariantChoice, module: WebAssembly.Module | undefined): void {
    void this.#then('start', { variant, threads: 1, module });
  }

  begin(request: EngineCalls['beginFile']['request']): void {
    void this.#then('beginFile', request);
  }

  /** Copies the bytes at once. Resolves when the next may come. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#isLost) return;
    const { length } = bytes;
    this.#behind += length;
    const pushed = this.#then('pushLoad', { bytes: bytes.slice() });
    void pushed.then(() => (this.#behind -= length));
    if (this.#behind > this.#mostBehind) await pushed;
  }

  endFile(): void {
    void this.#then('endFile', undefined);
  }

  /** The engine with the model; undefined if it has failed. */
  async finish(): Promise<EngineLink | undefined> {
    await this.#then('finishLoad', undefined);
    return this.#isLost ? undefined : this.#engine;
  }

  close(): void {
    this.#isLost = true;
    this.#engine.close();
  }

  /** Never rejected: an engine that fails is missing, and what is wrong with the file the model's own engine says. */
  #then<Name extends StepName>(name: Name, request: EngineCalls[Name]['request']): Promise<void> {
    // A vocabulary stays with the model's own engine.
    const givesAway = name === 'pushLoad';
    this.#calls = this.#calls.then(() => this.#engine.call(name, request, { givesAway }));
    return this.#calls.then(
      () => undefined,
      () => {
        if (!this.#isLost) this.close();
      },
    );
  }
}

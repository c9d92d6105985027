import { asSusurrusError, wrongState } from '../api/errors.js';
import type { SusurrusError } from '../api/errors.js';
import { YieldController } from '../wasm/yield_controller.js';
import type { CallTable, Host } from '../protocol/link.js';

export interface HostContext<Event> {
  readonly yielder: YieldController;
  readonly emit: (event: Event) => void;
}

export type Handlers<Calls extends CallTable<Calls>, Event> = {
  [Name in keyof Calls]: (
    request: Calls[Name]['request'],
    context: HostContext<Event>,
  ) => Promise<Calls[Name]['answer']> | Calls[Name]['answer'];
};

/** Answers requests with a WebAssembly module of its own, in whichever thread it lives, until the module traps. */
export abstract class ModuleHost<Calls extends CallTable<Calls>, Event = never> implements Host<
  Calls,
  Event
> {
  protected abstract readonly handlers: Handlers<Calls, Event>;
  #failure: SusurrusError | undefined;

  abstract close(): void;

  async handle<Name extends keyof Calls & string>(
    name: Name,
    request: Calls[Name]['request'],
    signal: AbortSignal,
    emit: (event: Event) => void,
  ): Promise<Calls[Name]['answer']> {
    if (this.#failure) {
      throw wrongState(`The engine failed earlier: ${this.#failure.message}`, 'engine');
    }
    try {
      return await this.handlers[name](request, { yielder: new YieldController(signal), emit });
    } catch (thrown) {
      const error = asSusurrusError(thrown);
      if (isTrap(thrown)) this.#failure = error;
      throw error;
    }
  }
}

/**
 * After a trap nothing is known about the module's memory; any other error left it whole. Emscripten's abort() is a RuntimeError too.
 * Told by names, since each frame of a page has classes of its own.
 */
function isTrap(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isStackOverflow = /call stack size exceeded|too much recursion/.test(error.message);
  return error.name === 'RuntimeError' || isStackOverflow;
}

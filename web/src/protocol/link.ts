// Requests to a WebAssembly module, in this thread or a worker, and its answers: plain data both ways.
import type { ErrorMessage } from '../api/errors.js';

/** A file that belongs to a model which is being read. */
export interface PartFile {
  readonly name: string;
  readonly byteCount: number;
}

/** Every request with its answer, by name. */
export type CallTable<Calls> = {
  [Name in keyof Calls]: { readonly request: unknown; readonly answer: unknown };
};

export interface CallOptions<Event> {
  readonly signal?: AbortSignal | undefined;
  /** Events of a running request. */
  readonly onEvent?: ((event: Event) => void) | undefined;
  /** The caller is done with the request's bytes: they are transferred to a worker, not copied. */
  readonly givesAway?: boolean;
}

export interface Link<Calls extends CallTable<Calls>, Event = never> {
  call<Name extends keyof Calls & string>(
    name: Name,
    request: Calls[Name]['request'],
    options?: CallOptions<Event>,
  ): Promise<Calls[Name]['answer']>;
  /** Ends the module; calls under way and later ones are rejected. */
  close(): void;
}

/** The other end of a link. */
export interface Host<Calls extends CallTable<Calls>, Event = never> {
  /** Calls that need the arrays of their requests no longer once they have answered: a worker gives back that memory at once. */
  readonly spends?: ReadonlySet<string>;
  handle<Name extends keyof Calls & string>(
    name: Name,
    request: Calls[Name]['request'],
    signal: AbortSignal,
    emit: (event: Event) => void,
  ): Promise<Calls[Name]['answer']>;
  close(): void;
}

/** Where a worker finds the package's own files, by their names in dist/: bundlers rename them. */
export type FileAddresses = Readonly<Record<string, string>>;

export type ToWorker =
  /** The first message to a worker of the package. */
  | { readonly type: 'open'; readonly addresses: FileAddresses }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly name: string;
      readonly request: unknown;
    }
  | { readonly type: 'abort'; readonly id: number };

export type FromWorker<Event = unknown> =
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: ErrorMessage }
  | { readonly type: 'event'; readonly id: number; readonly event: Event };

// The part of a service worker's global scope that is used here: TypeScript has either a page's types or a worker's.

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface RequestEvent extends LastingEvent {
  readonly request: Request;
  readonly clientId: string;
  respondWith(answer: Promise<Response>): void;
}

interface Client {
  readonly type: 'window' | 'worker' | 'sharedworker';
  postMessage(message: unknown): void;
}

interface ScopeEvents {
  readonly install: LastingEvent;
  readonly activate: LastingEvent;
  readonly fetch: RequestEvent;
  readonly message: MessageEvent;
}

export interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    get(id: string): Promise<Client | undefined>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly Client[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof ScopeEvents>(
    name: Name,
    listener: (event: ScopeEvents[Name]) => void,
  ): void;
}

// The page's end of its service worker: is it there, is a newer version of the page waiting.
import { takeOver } from './seen_request.js';

/** `'none'`: the browser or the URL does not allow one. */
export type OfflineState = 'preparing' | 'ready' | 'update' | 'none';

interface Callbacks {
  readonly onState: (state: OfflineState) => void;
  readonly onMessage: (message: unknown) => void;
  /** The version that waited has taken over. */
  readonly onUpdated: () => void;
}

export class OfflineService {
  readonly #container: ServiceWorkerContainer | undefined;
  readonly #calls: Callbacks;
  #registration: ServiceWorkerRegistration | undefined;
  #updates = false;

  /** Without a secure context there is no container. */
  constructor(container: ServiceWorkerContainer | undefined, calls: Callbacks) {
    this.#container = container;
    this.#calls = calls;
    container?.addEventListener('message', ({ data }) => calls.onMessage(data));
    container?.addEventListener('controllerchange', () => {
      if (this.#updates) calls.onUpdated();
    });
  }

  async start(script: URL): Promise<void> {
    try {
      if (!this.#container) throw new Error('there are no service workers here');
      // Absent where something forbids it without a word.
      const registration = (await this.#container.register(script)) as
        ServiceWorkerRegistration | undefined;
      if (!registration) throw new Error('it was not registered');
      this.#registration = registration;
      registration.addEventListener('updatefound', () => this.#watch(registration.installing));
      for (const worker of [registration.installing, registration.active]) this.#watch(worker);
      this.#tell();
    } catch {
      // A private window, a setting, or http: the page works as before, with the network.
      this.#calls.onState('none');
    }
  }

  /** Lets the version that waits take over; then the page is loaded anew. */
  update(): void {
    this.#updates = true;
    this.#registration?.waiting?.postMessage(takeOver);
  }

  #watch(worker: ServiceWorker | null): void {
    worker?.addEventListener('statechange', () => this.#tell());
  }

  #tell(): void {
    const { active, waiting, installing } = this.#registration ?? {};
    if (waiting && active) this.#calls.onState('update');
    else if (active?.state === 'activated') this.#calls.onState('ready');
    else if (installing || waiting || active) this.#calls.onState('preparing');
    // Its files could not be fetched; the next visit tries again.
    else this.#calls.onState('none');
  }
}

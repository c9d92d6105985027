// At the foot of the page: whether it works offline, installing it, and what it has sent.
import { byId, element } from '../shell/dom.js';
import { strings } from '../strings.js';
import { isSeenRequest } from './seen_request.js';
import { countBodies, SentCount, watchRequests } from './sent_count.js';
import { OfflineService, type OfflineState } from './service.js';
import { sharedMark, takeShared } from './shared_files.js';

/** Chromium asks with it whether the page shall be installed. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

const isInstallEvent = (event: Event): event is InstallEvent => 'prompt' in event;

export class OfflineView {
  readonly #state = byId('offline_state', HTMLElement);
  readonly #update = byId('offline_update', HTMLButtonElement);
  readonly #install = byId('install', HTMLButtonElement);
  readonly #count = new SentCount(() => this.#showCount());
  readonly #service: OfflineService;
  #installing: InstallEvent | undefined;
  #workersAreSeen = false;

  constructor() {
    countBodies(globalThis, this.#count);
    watchRequests(this.#count);
    this.#service = new OfflineService(
      'serviceWorker' in navigator ? navigator.serviceWorker : undefined,
      {
        onState: (state) => this.#show(state),
        onMessage: (message) => {
          if (!isSeenRequest(message)) return;
          this.#count.addRequest(message.host);
          this.#count.addBytes(message.sentBytes);
        },
        onUpdated: () => location.reload(),
      },
    );
    this.#update.addEventListener('click', () => this.#service.update());
    this.#install.addEventListener('click', () => void this.#askToInstall());
    addEventListener('beforeinstallprompt', (event) => {
      if (!isInstallEvent(event)) return;
      event.preventDefault();
      this.#installing = event;
      this.#install.hidden = false;
    });
    addEventListener('appinstalled', () => (this.#install.hidden = true));
    this.#showCount();
  }

  /** Begins to keep the page's files, which would only slow down its start. */
  start(): void {
    void this.#service.start(new URL('service_worker.js', import.meta.url));
  }

  /** What another app shared with the page that has just been opened. */
  async takeShared(): Promise<readonly File[]> {
    const address = new URL(location.href);
    if (!address.searchParams.has(sharedMark)) return [];
    address.searchParams.delete(sharedMark);
    history.replaceState(null, '', address);
    return takeShared(caches);
  }

  async #askToInstall(): Promise<void> {
    const asking = this.#installing;
    this.#installing = undefined;
    this.#install.hidden = true;
    // It may be asked once.
    await asking?.prompt();
  }

  #show(state: OfflineState): void {
    this.#state.textContent = strings.offline[state];
    this.#update.hidden = state !== 'update';
    this.#workersAreSeen = state === 'ready' || state === 'update';
    document.documentElement.dataset.offline = state;
    this.#showCount();
  }

  #showCount(): void {
    const { sentBytes, hosts } = this.#count;
    const { sent, counted, countedOfPage, requests } = strings.offline;
    byId('sent_title', HTMLElement).textContent = sent(sentBytes);
    byId('sent_text', HTMLElement).textContent = this.#workersAreSeen ? counted : countedOfPage;
    byId('sent_hosts', HTMLUListElement).replaceChildren(
      ...[...hosts].map(([host, count]) => element('li', '', requests(host, count))),
    );
  }
}

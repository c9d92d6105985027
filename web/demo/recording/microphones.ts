// The menus of microphones: which one live captions and recordings listen to, remembered for the next visit.
import { byId } from '../shell/dom.js';
import { remember, remembered } from '../shell/text_store.js';
import { strings } from '../strings.js';

const key = 'susurrus.microphone';

interface Chosen {
  readonly id: string;
  readonly name: string;
}

/** Names of Chromium for what the system chooses, beside the microphones themselves. */
const systemIds = ['', 'default', 'communications'];

export class Microphones {
  readonly #menus = ['live_microphone', 'record_microphone'].map((id) =>
    byId(id, HTMLSelectElement),
  );
  /** Those whose names the browser tells; none before the page may use one. */
  #known: readonly Chosen[] = [];
  /** Could not be opened, and is not tried again before something is plugged in. */
  #missing: string | undefined;

  constructor() {
    for (const menu of this.#menus) {
      menu.addEventListener('change', () => {
        const chosen = this.#known.find(({ id }) => id === menu.value);
        remember(key, chosen ? JSON.stringify([chosen.id, chosen.name]) : '');
        this.#show();
      });
    }
    devices()?.addEventListener('devicechange', () => {
      this.#missing = undefined;
      void this.refresh();
    });
    // Both menus are reached through it; what the page may know can have changed.
    byId('speak_open', HTMLButtonElement).addEventListener('click', () => void this.refresh());
    void this.refresh();
  }

  /** The one to listen to; undefined leaves it to the system. */
  get deviceId(): string | undefined {
    return this.#isGone ? undefined : this.#chosen?.id;
  }

  /** For sentences. */
  get name(): string {
    const only = this.#known.length === 1 ? this.#known[0] : undefined;
    return (this.#isGone ? only : (this.#chosen ?? only))?.name ?? strings.live.microphone;
  }

  /** Says that another one is used than the one that was chosen, if that is so. */
  get absence(): string | undefined {
    const chosen = this.#chosen;
    return chosen && this.#isGone ? strings.microphones.absent(chosen.name) : undefined;
  }

  /** The chosen one is not there: before it may use any, a page cannot know. */
  miss(): void {
    this.#missing = this.#chosen?.id;
    this.#show();
  }

  /** Reads the list anew: names are told once a page may use one. */
  async refresh(): Promise<void> {
    const all =
      (await devices()
        ?.enumerateDevices?.()
        .catch(() => undefined)) ?? [];
    this.#known = all
      .filter(({ kind, deviceId, label }) => {
        return kind === 'audioinput' && label !== '' && !systemIds.includes(deviceId);
      })
      .map(({ deviceId, label }) => ({ id: deviceId, name: label }));
    this.#show();
  }

  get #isGone(): boolean {
    const id = this.#chosen?.id;
    if (id === undefined) return false;
    const isKnown = this.#known.some((one) => one.id === id);
    return id === this.#missing || (this.#known.length > 0 && !isKnown);
  }

  /** Some browsers give a microphone another id on each visit: then its name tells. */
  get #chosen(): Chosen | undefined {
    try {
      const [id, name] = JSON.parse(remembered(key) ?? '') as readonly unknown[];
      if (typeof id !== 'string' || typeof name !== 'string') return undefined;
      const known = this.#known.find((one) => one.id === id);
      return known ?? this.#known.find((one) => one.name === name) ?? { id, name };
    } catch {
      return undefined;
    }
  }

  #show(): void {
    const value = this.deviceId ?? '';
    for (const menu of this.#menus) {
      const options = [{ id: '', name: strings.microphones.system }, ...this.#known];
      menu.replaceChildren(...options.map(({ id, name }) => new Option(name, id)));
      menu.value = value;
      menu.closest<HTMLElement>('.field')!.hidden = this.#known.length < 2;
    }
  }
}

const devices = (): (Partial<MediaDevices> & Pick<MediaDevices, 'addEventListener'>) | undefined =>
  (navigator as { mediaDevices?: MediaDevices }).mediaDevices;

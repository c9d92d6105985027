// Recordings that waited for their turn when the page went: their names, so that a person can choose them again.
import { abandoned, SessionLock } from '../live/session_lock.js';
import { byId } from '../shell/dom.js';
import type { TextStore } from '../shell/text_store.js';
import { strings } from '../strings.js';
import { newId } from '../transcript/transcript_document.js';

/** What a recording is known by. */
export type WaitingFile = Pick<File, 'name' | 'size'>;

const prefix = 'susurrus.waiting.';
/** Names that are listed; the others are counted. */
const mostNames = 12;

/** Those that are left when each of `chosen` has taken one of its name and size. */
export function leftOf(
  waited: readonly WaitingFile[],
  chosen: readonly WaitingFile[],
): readonly WaitingFile[] {
  const left = [...waited];
  for (const { name, size } of chosen) {
    const at = left.findIndex((one) => one.name === name && one.size === size);
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}

/** What pages that have gone have left, which is the caller's from now on. */
export async function takeLeft(store: TextStore): Promise<readonly WaitingFile[]> {
  const names = store.names(prefix);
  const ids = await abandoned(names.map((name) => name.slice(prefix.length)));
  return ids.flatMap((id) => {
    const text = store.get(prefix + id);
    store.remove(prefix + id);
    return text === null ? [] : parsed(text);
  });
}

export class WaitingFiles {
  readonly #store: TextStore;
  /** Each page has its own, and other pages leave it alone as long as it is there. */
  readonly #id = newId();
  readonly #card = byId('waited', HTMLElement);
  readonly #title = byId('waited_title', HTMLElement);
  readonly #names = byId('waited_names', HTMLElement);
  readonly #choose = byId('waited_choose', HTMLButtonElement);
  /** What waits on this page. */
  #waiting: readonly WaitingFile[] = [];
  /** What waited on pages that have gone. */
  #left: readonly WaitingFile[] = [];
  #written = '[]';

  /** `onChoose`: a person wants to choose files. */
  constructor(store: TextStore, onChoose: () => void) {
    this.#store = store;
    new SessionLock(this.#id);
    this.#choose.addEventListener('click', onChoose);
    byId('waited_dismiss', HTMLButtonElement).addEventListener('click', () => this.#leave([]));
    void this.#offer();
  }

  /** These wait now. */
  set waiting(files: readonly WaitingFile[]) {
    this.#waiting = files;
    this.#write();
  }

  /** These were chosen, and are on their way. */
  take(files: readonly WaitingFile[]): void {
    if (this.#left.length > 0) this.#leave(leftOf(this.#left, files));
  }

  /** Where nothing can be stored there are none. */
  async #offer(): Promise<void> {
    try {
      const left = await takeLeft(this.#store);
      if (left.length > 0) this.#leave([...this.#left, ...left]);
    } catch {
      // The browser refuses even to look.
    }
  }

  #leave(left: readonly WaitingFile[]): void {
    this.#left = left;
    this.#write();
    const { wereWaiting, chooseAgain, andMore } = strings.queue;
    const hadFocus = this.#card.contains(document.activeElement);
    this.#card.hidden = left.length === 0;
    if (hadFocus && left.length === 0) byId('choose', HTMLButtonElement).focus();
    this.#title.textContent = wereWaiting(left.length);
    const names = left.slice(0, mostNames).map(({ name }) => name);
    const more = left.length - names.length;
    this.#names.textContent = `${names.join(', ')}${more > 0 ? andMore(more) : ''}`;
    this.#choose.textContent = chooseAgain(left.length);
  }

  #write(): void {
    const all = [...this.#left, ...this.#waiting].map(({ name, size }) => ({ name, size }));
    const text = JSON.stringify(all);
    if (text === this.#written) return;
    this.#written = text;
    try {
      if (all.length === 0) this.#store.remove(prefix + this.#id);
      else this.#store.set(prefix + this.#id, text);
    } catch {
      // Then a reload forgets them, as the warning before it says.
    }
  }
}

function parsed(text: string): WaitingFile[] {
  try {
    const all: unknown = JSON.parse(text);
    return Array.isArray(all) ? all.filter(isWaitingFile) : [];
  } catch {
    // Another program of this origin has written it.
    return [];
  }
}

const isWaitingFile = (value: unknown): value is WaitingFile =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'size' in value &&
  typeof value.name === 'string' &&
  typeof value.size === 'number';

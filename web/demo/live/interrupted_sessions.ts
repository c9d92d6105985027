// Sessions that a reload or a crash has ended: offers their text, once the page is there again.
import { byId, element, textElement } from '../shell/dom.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { forgetSession, readCheckpoint, storedSessions, type Checkpoint } from './checkpoint.js';
import { sessionName, type HeardLive } from './heard_live.js';
import { textOf, transcriptOf } from './live_transcript.js';
import { abandoned } from './session_lock.js';
import type { TextStore } from '../shell/text_store.js';

export interface InterruptedCalls {
  readonly onOpen: (heard: HeardLive) => Promise<void>;
  /** What was opened is not complete. */
  readonly onDamaged: () => void;
}

export class InterruptedSessions {
  readonly #store: TextStore;
  readonly #calls: InterruptedCalls;
  readonly #card = byId('live_interrupted', HTMLElement);
  readonly #list = byId('live_interrupted_list', HTMLUListElement);

  constructor(store: TextStore, calls: InterruptedCalls) {
    this.#store = store;
    this.#calls = calls;
  }

  /** Shows those that there are. Where nothing can be stored there are none. */
  async offer(): Promise<void> {
    try {
      for (const id of await abandoned(storedSessions(this.#store))) this.#offerOne(id);
    } catch {
      // The browser refuses even to look.
    }
  }

  #offerOne(id: string): void {
    const checkpoint = readCheckpoint(this.#store, id);
    if (checkpoint.entries.length === 0) {
      forgetSession(this.#store, id);
      return;
    }
    const item = element('li');
    const open = element('button', 'primary', strings.live.openInterrupted);
    const remove = element('button', '', strings.live.deleteInterrupted);
    for (const button of [open, remove]) button.type = 'button';
    item.append(
      element(
        'span',
        '',
        strings.live.interrupted(when(checkpoint), duration(checkpoint.duration)),
      ),
      textElement('span', 'hint beginning', beginning(checkpoint)),
      open,
      remove,
    );
    open.addEventListener('click', () => void this.#open(checkpoint, item));
    remove.addEventListener('click', () => this.#take(id, item));
    this.#list.append(item);
    this.#card.hidden = false;
  }

  async #open({ head, entries, duration, damaged }: Checkpoint, item: HTMLElement): Promise<void> {
    await this.#calls.onOpen({
      name: sessionName(head.began),
      began: head.began,
      transcript: transcriptOf(entries, duration),
      note: strings.live.interruptedNote,
    });
    this.#take(head.id, item);
    if (damaged > 0) this.#calls.onDamaged();
  }

  #take(id: string, item: HTMLElement): void {
    item.remove();
    this.#card.hidden = this.#list.childElementCount === 0;
    try {
      forgetSession(this.#store, id);
    } catch {
      // It is offered again the next time.
    }
  }
}

const when = ({ head }: Checkpoint): string =>
  head.began === 0
    ? strings.live.unknownTime
    : new Date(head.began).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

const beginning = ({ entries }: Checkpoint): string =>
  entries
    .map((entry) => (entry.kind === 'gap' ? '' : textOf(entry)))
    .join('')
    .trim()
    .slice(0, 120);

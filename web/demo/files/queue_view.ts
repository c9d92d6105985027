// The list of recordings: what each one is doing, and what can be done about it.
import { byId, element, hide, setText } from '../shell/dom.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { shortClock } from '../transcript/short_clock.js';
import { plainProblem } from './plain_problem.js';
import type { QueueItem } from './recording_queue.js';

interface Callbacks {
  readonly onShow: (id: number) => void;
  readonly onCancel: (id: number) => void;
  readonly onPause: (ids: readonly number[], isOn: boolean) => void;
  readonly onAgain: (id: number) => void;
  readonly onRemove: (id: number) => void;
  readonly onStopAll: () => void;
}

/** A recording whose transcript may have another name by now. */
export type NamedItem = QueueItem<{ readonly facts: { readonly name: string } }>;

export interface ShownQueue {
  readonly items: readonly NamedItem[];
  /** Whose transcript is shown. */
  readonly shown: number | undefined;
  /** The first of those under way. Others may wait for its engines. */
  readonly first: number | undefined;
  /** They wait for a model, not for each other. */
  readonly lacksModel: boolean;
}

export class QueueView {
  readonly #card = byId('queue', HTMLElement);
  readonly #title = byId('queue_title', HTMLElement);
  readonly #list = byId('queue_list', HTMLOListElement);
  readonly #stop = byId('queue_stop', HTMLButtonElement);
  readonly #pause = byId('queue_pause', HTMLButtonElement);
  readonly #calls: Callbacks;
  readonly #rows = new Map<number, QueueRow>();
  #items: readonly NamedItem[] = [];

  constructor(calls: Callbacks) {
    this.#calls = calls;
    this.#stop.addEventListener('click', () => calls.onStopAll());
    this.#pause.addEventListener('click', () => {
      const ids = this.#pausable.map(({ id }) => id);
      calls.onPause(ids, !this.#arePaused);
    });
  }

  get #pausable(): readonly NamedItem[] {
    return this.#items.filter(({ pausing }) => pausing?.isPossible);
  }

  get #arePaused(): boolean {
    return this.#pausable.every(({ pausing }) => pausing?.isOn);
  }

  update({ items, shown, first: leading, lacksModel }: ShownQueue): void {
    // One recording alone has the status line, its transcript and the error's card.
    const [first, second] = items;
    this.#items = items;
    const isHeldUp = first?.state === 'waiting' || (first?.state === 'stopped' && !first.text);
    const hadFocus = this.#list.contains(document.activeElement);
    hide(this.#card, !second && !isHeldUp);
    const { oneTitle, title, resumeAll, pauseAll } = strings.queue;
    setText(this.#title, items.length === 1 ? oneTitle : title(items.length));
    hide(this.#stop, !items.some(({ state }) => state === 'waiting' || state === 'listening'));
    if (this.#pausable.length < 2 && document.activeElement === this.#pause) this.#stop.focus();
    hide(this.#pause, this.#pausable.length < 2);
    setText(this.#pause, this.#arePaused ? resumeAll : pauseAll);
    for (const [id, row] of this.#rows) {
      if (items.some((item) => item.id === id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    items.forEach((item, at) => {
      const row = this.#rows.get(item.id) ?? this.#add(item);
      // Moving an element that stands where it should would take its focus.
      if (this.#list.children[at] !== row.element) {
        this.#list.insertBefore(row.element, this.#list.children[at] ?? null);
      }
      const { id, state, part } = item;
      const hasBegun = state === 'listening' && (id === leading || part !== 0);
      row.update(item, { isShown: id === shown, hasBegun, lacksModel });
    });
    if (hadFocus && !this.#list.contains(document.activeElement)) this.#keepFocus();
  }

  #add(item: NamedItem): QueueRow {
    const row = new QueueRow(item, this.#calls);
    this.#rows.set(item.id, row);
    return row;
  }

  /** The button that had the focus is gone. */
  #keepFocus(): void {
    const next = this.#list.querySelector<HTMLElement>('button:not([hidden])');
    if (next && !this.#card.hidden) next.focus();
    else byId('choose', HTMLButtonElement).focus();
  }
}

interface RowFacts {
  readonly isShown: boolean;
  /** It has an engine, or is the next to have one. */
  readonly hasBegun: boolean;
  readonly lacksModel: boolean;
}

class QueueRow {
  readonly element = element('li', 'queue-row');
  readonly #name: HTMLButtonElement;
  readonly #state = element('span', 'queue-state');
  readonly #bar = element('progress', 'queue-bar');
  readonly #problem = element('p', 'queue-problem');
  readonly #pause: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #again: HTMLButtonElement;
  readonly #remove: HTMLButtonElement;
  #isPaused = false;

  constructor({ id }: NamedItem, calls: Callbacks) {
    const { queue } = strings;
    const button = (text: string, onPress: (id: number) => void) => {
      const made = element('button', '', text);
      made.type = 'button';
      made.addEventListener('click', () => onPress(id));
      return made;
    };
    this.#name = button('', calls.onShow);
    this.#name.className = 'queue-name';
    this.#pause = button('', () => calls.onPause([id], !this.#isPaused));
    this.#cancel = button(queue.cancel, calls.onCancel);
    this.#again = button(queue.again, calls.onAgain);
    this.#remove = button(queue.remove, calls.onRemove);
    this.#bar.max = 1;
    const actions = element('div', 'actions');
    actions.append(this.#pause, this.#cancel, this.#again, this.#remove);
    this.element.append(this.#name, this.#state, this.#bar, actions, this.#problem);
  }

  update(item: NamedItem, { isShown, hasBegun, lacksModel }: RowFacts): void {
    const { state, part = 0, problem, text, pausing, file } = item;
    const name = text?.facts.name ?? file.name;
    this.#call(name);
    this.element.dataset.state = state;
    this.element.classList.toggle('begun', hasBegun);
    this.#name.disabled = text === undefined;
    if (isShown) this.#name.setAttribute('aria-current', 'true');
    else this.#name.removeAttribute('aria-current');
    setText(this.#state, stateText(item, hasBegun, lacksModel));
    hide(this.#bar, !hasBegun);
    this.#bar.value = part;
    hide(this.#problem, problem === undefined);
    setText(this.#problem, problem === undefined ? '' : plainProblem(problem));
    this.#isPaused = pausing?.isOn === true;
    hide(this.#pause, pausing?.isPossible !== true);
    setText(this.#pause, this.#isPaused ? strings.queue.resume : strings.queue.pause);
    const { resumeOne, pauseOne } = strings.queue;
    this.#pause.setAttribute('aria-label', (this.#isPaused ? resumeOne : pauseOne)(name));
    hide(this.#cancel, state !== 'waiting' && state !== 'listening');
    hide(this.#again, state !== 'stopped' && state !== 'failed');
    hide(this.#remove, !this.#cancel.hidden);
  }

  #call(name: string): void {
    if (this.#name.textContent === name) return;
    const { show, cancelOne, againOne, removeOne } = strings.queue;
    this.#name.textContent = name;
    this.#name.title = show(name);
    this.#bar.setAttribute('aria-label', name);
    this.#cancel.setAttribute('aria-label', cancelOne(name));
    this.#again.setAttribute('aria-label', againOne(name));
    this.#remove.setAttribute('aria-label', removeOne(name));
  }
}

/** Where a recording is paused; with its name where there are others. */
export function pausedText({ place, file }: QueueItem<unknown>, isNamed: boolean): string {
  const { paused, pausedOne, pausedAt } = strings.queue;
  const at = place ? pausedAt(shortClock(place.heard), shortClock(place.total)) : '';
  return isNamed ? pausedOne(file.name, at) : paused(at);
}

function stateText(
  { state, part = 0, remainingSeconds, pausing }: NamedItem,
  hasBegun: boolean,
  lacksModel: boolean,
): string {
  const { queue } = strings;
  if (state === 'waiting') return lacksModel ? queue.waitingForModel : queue.waiting;
  if (state !== 'listening') return queue[state];
  if (pausing?.isOn) return queue.pausedRow(Math.floor(part * 100));
  if (!hasBegun) return queue.waiting;
  const left = remainingSeconds === undefined ? '' : duration(remainingSeconds);
  return queue.listening(Math.floor(part * 100), left);
}

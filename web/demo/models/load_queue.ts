/** The model that is being made ready, and for the status line what waits for it. */
import { strings } from '../strings.js';

export class LoadQueue {
  readonly #waiting: () => readonly string[];
  #loading: { readonly what: string; readonly name: string } | undefined;
  #remark = '';

  /** `waiting`: names of the recordings that wait for a model. */
  constructor(waiting: () => readonly string[]) {
    this.#waiting = waiting;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** What is being made ready. */
  get name(): string | undefined {
    return this.#loading?.name;
  }

  /** For the status line. */
  get text(): string {
    const what = this.#loading ? `${this.#loading.what} ${this.#loading.name} …` : '';
    const [first, ...others] = this.#waiting();
    const { oneWaits, severalWait } = strings.queue;
    const waits = first === undefined ? '' : oneWaits(first);
    return `${what}${this.#remark}${others.length > 0 ? severalWait(others.length + 1) : waits}`;
  }

  /** What waits while no model was chosen yet: sentences before another one, or nothing. */
  get waitText(): string {
    const [first, ...others] = this.#waiting();
    const { oneWaitsForAny, severalWaitForAny } = strings.queue;
    if (first === undefined) return '';
    return others.length > 0 ? severalWaitForAny(others.length + 1) : oneWaitsForAny(first);
  }

  /** `what`: "Loading" or "Converting". A load that is under way is given up for it; recordings keep waiting. */
  begin(what: string, name: string): void {
    this.#remark = this.#loading ? ` It takes the place of ${this.#loading.name}.` : '';
    this.#loading = { what, name };
  }

  /** What comes before a load is done: a list was read, or a model converted. The load begins next. */
  prepared(): void {
    this.#loading = undefined;
  }

  end(): void {
    this.#loading = undefined;
    this.#remark = '';
  }
}

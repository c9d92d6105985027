// In "About this device": what this page keeps here, and the button that deletes all of it.
import { byId, element } from '../shell/dom.js';
import { size } from '../shell/format.js';
import { strings } from '../strings.js';
import { deleteKept, keptHere } from './kept_here.js';

interface Callbacks {
  /** Stops what would write again; resolves when it has ended. */
  readonly stop: () => Promise<void>;
  readonly transcripts: () => Promise<number>;
  readonly deleteTranscripts: () => Promise<void>;
}

const { kept: words } = strings;

export class KeptView {
  readonly #list = byId('kept_list', HTMLUListElement);
  readonly #said = byId('kept_said', HTMLElement);
  readonly #question = byId('kept_question', HTMLDialogElement);
  readonly #calls: Callbacks;
  readonly #channel =
    'BroadcastChannel' in globalThis ? new BroadcastChannel('susurrus-kept') : undefined;

  constructor(calls: Callbacks) {
    this.#calls = calls;
    const panel = byId('engine', HTMLDetailsElement);
    panel.addEventListener('toggle', () => {
      if (panel.open) void this.#show();
    });
    byId('kept_delete', HTMLButtonElement).addEventListener('click', () => void this.#ask());
    this.#question.addEventListener('close', () => {
      if (this.#question.returnValue === 'delete') void this.#delete();
      this.#question.returnValue = '';
    });
    if (this.#channel) {
      this.#channel.onmessage = () => {
        this.#said.textContent = words.deletedElsewhere;
        panel.open = true;
        void this.#show();
      };
    }
  }

  async #lines(): Promise<string[]> {
    const [{ models, recordings, pageBytes, settings }, transcripts] = await Promise.all([
      keptHere(),
      this.#calls.transcripts().catch(() => 0),
    ]);
    return [
      words.models(models.count, size(models.bytes)),
      words.transcripts(transcripts),
      words.recordings(recordings.count, size(recordings.bytes)),
      words.settings(settings.count, size(settings.bytes)),
      words.page(pageBytes === 0 ? undefined : size(pageBytes)),
    ];
  }

  async #show(): Promise<void> {
    const lines = await this.#lines();
    this.#list.replaceChildren(...lines.map((line) => element('li', '', line)));
  }

  async #ask(): Promise<void> {
    await this.#show();
    this.#said.textContent = '';
    this.#question.showModal();
  }

  async #delete(): Promise<void> {
    try {
      await this.#calls.stop();
      const done = await Promise.allSettled([this.#calls.deleteTranscripts()]);
      await deleteKept();
      if (done[0].status === 'rejected') throw done[0].reason;
      this.#said.textContent = words.deleted;
      this.#channel?.postMessage('deleted');
    } catch (error) {
      this.#said.textContent = words.notDeleted(
        error instanceof Error ? error.message : String(error),
      );
    }
    await this.#show();
  }
}

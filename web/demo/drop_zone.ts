import { byId } from './dom.js';

/** Where files come in: dropped anywhere on the page, chosen with the file dialogue, or pasted. */
export class DropZone {
  readonly #zone = byId('drop_zone', HTMLElement);
  readonly #veil = byId('drop_veil', HTMLElement);
  readonly #input = byId('file', HTMLInputElement);
  readonly #onFiles: (files: readonly File[]) => void;
  /** dragenter and dragleave come for every element on the way; this many are entered and not left. */
  #depth = 0;

  constructor(onFiles: (files: readonly File[]) => void) {
    this.#onFiles = onFiles;
    byId('choose', HTMLButtonElement).addEventListener('click', () => this.#input.click());
    this.#input.addEventListener('change', () => {
      this.#take(this.#input.files);
      // The same file may be chosen again.
      this.#input.value = '';
    });
    document.addEventListener('dragenter', (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.#depth += 1;
      this.#show(true);
    });
    document.addEventListener('dragover', (event) => {
      if (!carriesFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    });
    document.addEventListener('dragleave', (event) => {
      if (!carriesFiles(event)) return;
      this.#depth = Math.max(0, this.#depth - 1);
      if (this.#depth === 0) this.#show(false);
    });
    document.addEventListener('drop', (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.#depth = 0;
      this.#show(false);
      this.#take(event.dataTransfer?.files);
    });
    document.addEventListener('paste', (event) => this.#take(event.clipboardData?.files));
  }

  #show(over: boolean): void {
    this.#zone.classList.toggle('over', over);
    this.#veil.hidden = !over;
  }

  #take(files: FileList | null | undefined): void {
    if (files && files.length > 0) this.#onFiles([...files]);
  }
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

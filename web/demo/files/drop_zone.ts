import { byId } from '../shell/dom.js';

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
      if (event.dataTransfer) void filesOf(event.dataTransfer).then((files) => this.#take(files));
    });
    document.addEventListener('paste', (event) => this.#take(event.clipboardData?.files));
  }

  #show(over: boolean): void {
    this.#zone.classList.toggle('over', over);
    this.#veil.hidden = !over;
  }

  #take(files: FileList | readonly File[] | null | undefined): void {
    if (files && files.length > 0) this.#onFiles([...files]);
  }
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** What was dropped; of a folder, the files in it. */
async function filesOf(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const folders = entries.filter((entry) => entry?.isDirectory) as FileSystemDirectoryEntry[];
  if (folders.length === 0) return [...transfer.files];
  const lists = await Promise.all(folders.map(filesIn));
  return lists.flat();
}

async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: Promise<File>[] = [];
  for (;;) {
    // Some at a time, until there are none.
    const entries = await new Promise<FileSystemEntry[]>((done, failed) =>
      reader.readEntries(done, failed),
    );
    if (entries.length === 0) return Promise.all(files);
    for (const entry of entries) {
      if (!entry.isFile) continue;
      const file = entry as FileSystemFileEntry;
      files.push(new Promise((done, failed) => file.file(done, failed)));
    }
  }
}

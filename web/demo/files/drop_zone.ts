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
      // Without this, choosing the same file again would fire no event.
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

/** Folders within folders are looked into as far as this. */
const mostDepth = 4;

/** What the system puts into folders. */
const isHidden = (name: string): boolean => /^(\.|Thumbs\.db$|desktop\.ini$)/i.test(name);

/** The dropped files, including those in dropped folders. */
async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // The list of items is gone once this function waits for something.
  const given = [...transfer.items].map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  const lists = await Promise.all(
    given.map(async ({ entry, file }) => {
      if (entry?.isDirectory) return filesIn(entry as FileSystemDirectoryEntry, 0);
      return file ? [file] : [];
    }),
  );
  return lists.flat();
}

/** A folder that cannot be read is empty. */
async function filesIn(folder: FileSystemDirectoryEntry, depth: number): Promise<File[]> {
  const entries = await entriesOf(folder.createReader()).catch(() => []);
  const lists = await Promise.all(
    entries
      .filter(({ name }) => !isHidden(name))
      .map(async (entry) => {
        if (entry.isDirectory && depth < mostDepth) {
          return filesIn(entry as FileSystemDirectoryEntry, depth + 1);
        }
        if (!entry.isFile) return [];
        const file = await new Promise<File | undefined>((done) =>
          (entry as FileSystemFileEntry).file(done, () => done(undefined)),
        );
        return file ? [file] : [];
      }),
  );
  return lists.flat();
}

async function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    // Some at a time, until there are none.
    const some = await new Promise<FileSystemEntry[]>((done, failed) =>
      reader.readEntries(done, failed),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

// Captions in a small window that stays above others, where the browser has such windows.

/** Document Picture-in-Picture, which TypeScript's library does not know. */
interface PictureWindows {
  requestWindow(options: { width: number; height: number }): Promise<Window>;
}

const pictureWindows = (): PictureWindows | undefined =>
  (globalThis as { documentPictureInPicture?: PictureWindows }).documentPictureInPicture;

export class Overlay {
  readonly #box: HTMLElement;
  readonly #onChange: (isOpen: boolean) => void;
  #window: Window | undefined;

  /** `box` moves to the window and back; `onChange` is told afterwards. */
  constructor(box: HTMLElement, onChange: (isOpen: boolean) => void) {
    this.#box = box;
    this.#onChange = onChange;
  }

  static get isAvailable(): boolean {
    return pictureWindows() !== undefined;
  }

  get isOpen(): boolean {
    return this.#window !== undefined;
  }

  /** From a click. Rejects when the browser says no. */
  async open(): Promise<void> {
    const windows = pictureWindows();
    if (!windows || this.#window) return;
    const opened = await windows.requestWindow({ width: 720, height: 200 });
    this.#window = opened;
    const place = document.createComment('captions');
    this.#box.before(place);
    const { document: other } = opened;
    other.title = document.title;
    other.documentElement.lang = document.documentElement.lang;
    other.documentElement.className = 'caption-window';
    // The page's policy holds there, too: no style but those of files.
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
      const copy = other.createElement('link');
      copy.rel = 'stylesheet';
      copy.href = link.href;
      copy.addEventListener('load', () => this.#onChange(this.isOpen));
      other.head.append(copy);
    }
    other.body.append(this.#box);
    opened.addEventListener(
      'pagehide',
      () => {
        this.#window = undefined;
        place.replaceWith(this.#box);
        this.#onChange(false);
      },
      { once: true },
    );
    this.#onChange(true);
  }

  close(): void {
    this.#window?.close();
  }
}

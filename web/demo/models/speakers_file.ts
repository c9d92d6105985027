// The file of the networks that tell speakers apart: fetched when they are first wanted, once for all recordings.

export class SpeakersFile {
  readonly #address: URL;
  readonly #onPart = new Set<(part: number) => void>();
  #fetching: Promise<Blob> | undefined;
  #blob: Blob | undefined;

  constructor(address: URL) {
    this.#address = address;
  }

  /** Undefined until it has been fetched. */
  get blob(): Blob | undefined {
    return this.#blob;
  }

  /** Rejects where it is missing, and with the signal's reason; it goes on for others, and what failed is tried again the next time. */
  async fetch(
    signal: AbortSignal,
    onPart: (part: number) => void = () => undefined,
  ): Promise<Blob> {
    signal.throwIfAborted();
    this.#fetching ??= this.#fetch();
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the person who stops it gives
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    this.#onPart.add(onPart);
    try {
      return await Promise.race([this.#fetching, stopped]);
    } finally {
      this.#onPart.delete(onPart);
      signal.removeEventListener('abort', stop);
    }
  }

  async #fetch(): Promise<Blob> {
    try {
      this.#blob = await this.#read(await fetch(this.#address));
      return this.#blob;
    } catch (error) {
      this.#fetching = undefined;
      throw error;
    }
  }

  async #read(answer: Response): Promise<Blob> {
    if (!answer.ok || !answer.body) throw new Error(`${this.#address.href}: HTTP ${answer.status}`);
    const total = Number(answer.headers.get('Content-Length'));
    let count = 0;
    const tell = (bytes: Uint8Array): void => {
      count += bytes.length;
      // With compression the length is that of fewer bytes.
      if (total > 0) for (const onPart of this.#onPart) onPart(Math.min(1, count / total));
    };
    const counted = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, controller) => {
          tell(bytes);
          controller.enqueue(bytes);
        },
      }),
    );
    return new Response(counted).blob();
  }
}

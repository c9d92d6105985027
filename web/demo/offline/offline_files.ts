// The page's own files, kept for when there is no network: those of one build, all or none.

/** Made when the page is built. */
export interface PageFiles {
  /** Differs where any of the files differs. */
  readonly version: string;
  /** URLs relative to the page, each with the SHA-256 of its bytes. */
  readonly files: Readonly<Record<string, string>>;
  /** Large ones, with their digests, that are kept only once the page has asked for them. */
  readonly later: Readonly<Record<string, string>>;
  /** Files that a server may change at any time: the newest is wanted, the kept one will do. */
  readonly changing: readonly string[];
}

interface Environment {
  /** Where the page lies; ends with a slash. */
  readonly base: string;
  readonly caches: CacheStorage;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly digest: (bytes: ArrayBuffer) => Promise<string>;
}

const prefix = 'susurrus-page-';
const pageFile = 'index.html';

export class OfflineFiles {
  readonly #page: PageFiles;
  readonly #environment: Environment;

  constructor(page: PageFiles, environment: Environment) {
    this.#page = page;
    this.#environment = environment;
  }

  /** Fetches all files. Rejects, and keeps nothing, where one is missing or belongs to another build. */
  async install(): Promise<void> {
    const { caches } = this.#environment;
    const cache = await caches.open(this.#cacheName);
    try {
      await Promise.all(Object.keys(this.#page.files).map((file) => this.#keep(cache, file)));
      await Promise.all(this.#page.changing.map((file) => this.#keepChanging(cache, file)));
      await Promise.all(Object.keys(this.#page.later).map((file) => this.#takeOver(cache, file)));
    } catch (error) {
      await caches.delete(this.#cacheName);
      throw error;
    }
  }

  /** Drops the files of earlier builds. */
  async activate(): Promise<void> {
    const { caches } = this.#environment;
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(prefix) && name !== this.#cacheName);
    await Promise.all(old.map((name) => caches.delete(name)));
  }

  /** Undefined for requests of other files than the page's own; the browser fetches those itself. */
  answer(request: Request): Promise<Response> | undefined {
    if (request.method !== 'GET') return undefined;
    const file = this.#fileOf(request.url);
    if (file === undefined) return undefined;
    if (Object.hasOwn(this.#page.later, file)) return this.#once(request, file);
    return this.#page.changing.includes(file)
      ? this.#newest(request, file)
      : this.#kept(request, file);
  }

  get #cacheName(): string {
    return `${prefix}${this.#page.version}`;
  }

  #fileOf(url: string): string | undefined {
    const { base } = this.#environment;
    const address = new URL(url);
    const path = `${address.origin}${address.pathname}`;
    if (!path.startsWith(base)) return undefined;
    const file = path.slice(base.length) || pageFile;
    const { files, later, changing } = this.#page;
    const isOwn = [files, later].some((list) => Object.hasOwn(list, file));
    return isOwn || changing.includes(file) ? file : undefined;
  }

  #addressOf(file: string): string {
    // Servers may lead from index.html to the folder; a page must not be answered with a redirection.
    return `${this.#environment.base}${file === pageFile ? '' : file}`;
  }

  async #keep(cache: Cache, file: string): Promise<void> {
    const answer = await this.#fetch(file);
    const digest = await this.#environment.digest(await answer.clone().arrayBuffer());
    if (digest !== this.#page.files[file]) throw new Error(`${file} is of another build`);
    await cache.put(this.#addressOf(file), answer);
  }

  async #keepChanging(cache: Cache, file: string): Promise<void> {
    await cache.put(this.#addressOf(file), await this.#fetch(file));
  }

  /** What an earlier build has kept, where it is the same file. */
  async #takeOver(cache: Cache, file: string): Promise<void> {
    const kept = await this.#environment.caches.match(this.#addressOf(file));
    if (!kept) return;
    const digest = await this.#environment.digest(await kept.clone().arrayBuffer());
    if (digest === this.#page.later[file]) await cache.put(this.#addressOf(file), kept);
  }

  /** Fetched the first time, and kept. */
  async #once(request: Request, file: string): Promise<Response> {
    const cache = await this.#environment.caches.open(this.#cacheName);
    const kept = await cache.match(this.#addressOf(file));
    if (kept) return kept;
    const answer = await this.#environment.fetch(request);
    // In the background, and where there is no room, not at all: the page has its answer.
    if (answer.ok) void cache.put(this.#addressOf(file), answer.clone()).catch(() => undefined);
    return answer;
  }

  async #fetch(file: string): Promise<Response> {
    const request = new Request(this.#addressOf(file), { cache: 'no-cache' });
    const answer = await this.#environment.fetch(request);
    if (!answer.ok || answer.redirected) throw new Error(`${file}: HTTP ${answer.status}`);
    return answer;
  }

  async #kept(request: Request, file: string): Promise<Response> {
    const cache = await this.#environment.caches.open(this.#cacheName);
    // The browser may have cleared what it kept.
    return (await cache.match(this.#addressOf(file))) ?? this.#environment.fetch(request);
  }

  async #newest(request: Request, file: string): Promise<Response> {
    const cache = await this.#environment.caches.open(this.#cacheName);
    try {
      const answer = await this.#environment.fetch(request);
      if (answer.ok) {
        await cache.put(this.#addressOf(file), answer.clone());
        return answer;
      }
    } catch (error) {
      const kept = await cache.match(this.#addressOf(file));
      if (!kept) throw error;
      return kept;
    }
    return (await cache.match(this.#addressOf(file))) ?? this.#environment.fetch(request);
  }
}

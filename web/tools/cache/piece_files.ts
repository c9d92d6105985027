// Files in the Cache API, in pieces, since what it stores cannot grow: for browsers that refuse the origin's private file system.
import type { DownloadFile } from '../../src/sources/download.js';
import { roomOfOrigin, type FoundFile, type StoreFiles } from './store_files.js';

/** What a killed worker loses at most. */
const pieceBytes = 4 << 20;
const cacheName = 'susurrus';
/** No request ever goes there: keys of the Cache API are URLs. */
const origin = 'https://susurrus.invalid/';
const changedHeader = 'x-changed';

/** Whether anything was ever kept so. */
export async function hasPieces(): Promise<boolean> {
  try {
    return await caches.has(cacheName);
  } catch {
    return false;
  }
}

export async function removePieces(): Promise<void> {
  try {
    await caches.delete(cacheName);
  } catch {
    // Then there are none.
  }
}

/** Undefined where the browser has no such storage, or refuses it. */
export async function openPieces(): Promise<StoreFiles | undefined> {
  let cache: Cache;
  try {
    cache = await caches.open(cacheName);
  } catch {
    return undefined;
  }
  const keyOf = (name: string, index: number): string => `${origin}${name}/${index}`;
  const piece = (name: string, index: number): Promise<Response | undefined> =>
    cache.match(keyOf(name, index));
  const names = async (): Promise<ReadonlyMap<string, number>> => {
    const counts = new Map<string, number>();
    for (const { url } of await cache.keys()) {
      const [name = '', index] = url.slice(origin.length).split('/');
      counts.set(name, Math.max(counts.get(name) ?? 0, Number(index) + 1));
    }
    return counts;
  };
  const sizeOf = async (name: string, count: number): Promise<number> => {
    const last = await (await piece(name, count - 1))?.blob();
    return (count - 1) * pieceBytes + (last?.size ?? 0);
  };
  const remove = async (name: string): Promise<void> => {
    // The last ones first: what is left is a shorter file, without a hole.
    for (let index = (await names()).get(name) ?? 0; index-- > 0;) {
      await cache.delete(keyOf(name, index));
    }
  };
  const blobOf = async (name: string, count: number): Promise<Blob> => {
    const indices = Array.from({ length: count }, (_, index) => index);
    const parts = await Promise.all(
      indices.map(async (index) => (await piece(name, index))?.blob()),
    );
    return new Blob(parts.filter((part) => part !== undefined));
  };
  return {
    kind: 'cache-api',
    room: roomOfOrigin,
    async list() {
      const found: FoundFile[] = [];
      for (const [name, count] of await names()) {
        const changed = (await piece(name, 0))?.headers.get(changedHeader);
        const changedAt = new Date(Number(changed ?? 0));
        found.push({ name, byteCount: await sizeOf(name, count), changedAt });
      }
      return found;
    },
    async open(name) {
      const count = (await names()).get(name) ?? 0;
      return fileOf(count > 0 ? await sizeOf(name, count) : 0, {
        get: async (index) => (await piece(name, index))?.blob(),
        put: (index, bytes) => {
          const headers = { [changedHeader]: String(Date.now()) };
          return cache.put(keyOf(name, index), new Response(bytes, { headers }));
        },
        remove: () => remove(name),
      });
    },
    async find(name) {
      const count = (await names()).get(name);
      if (count === undefined) return undefined;
      return {
        byteCount: await sizeOf(name, count),
        text: async () => (await blobOf(name, count)).text(),
        source: () => blobOf(name, count),
      };
    },
    remove,
  };
}

interface Pieces {
  get(index: number): Promise<Blob | undefined>;
  put(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  remove(): Promise<void>;
}

function fileOf(byteCount: number, pieces: Pieces): DownloadFile {
  /** The piece that is being filled, from when it is first written to until it is full. */
  let open: { readonly index: number; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;
  let openBytes = 0;
  let isEmpty = byteCount === 0;
  const store = async (): Promise<void> => {
    if (open) await pieces.put(open.index, open.bytes.slice(0, openBytes));
    open = undefined;
  };
  const begin = async (index: number): Promise<Uint8Array<ArrayBuffer>> => {
    await store();
    const bytes = new Uint8Array(pieceBytes);
    const kept = await pieces.get(index);
    if (kept) bytes.set(new Uint8Array(await kept.arrayBuffer()));
    open = { index, bytes };
    openBytes = kept?.size ?? 0;
    return bytes;
  };
  return {
    byteCount,
    async write(bytes, at) {
      isEmpty = false;
      for (let done = 0; done < bytes.length;) {
        const index = Math.floor((at + done) / pieceBytes);
        const place = (at + done) % pieceBytes;
        const piece = open?.index === index ? open.bytes : await begin(index);
        const part = bytes.subarray(done, done + pieceBytes - place);
        piece.set(part, place);
        openBytes = Math.max(openBytes, place + part.length);
        done += part.length;
        // A piece that was whole before is full from its first byte on.
        if (place + part.length === pieceBytes) await store();
      }
    },
    async read(into, at) {
      const index = Math.floor(at / pieceBytes);
      const place = at % pieceBytes;
      const end = Math.min(pieceBytes, place + into.length);
      if (open?.index === index) {
        const part = open.bytes.subarray(place, Math.min(end, openBytes));
        into.set(part);
        return part.length;
      }
      const part = await (await pieces.get(index))?.slice(place, end).arrayBuffer();
      if (part) into.set(new Uint8Array(part));
      return part?.byteLength ?? 0;
    },
    async clear() {
      await pieces.remove();
      open = undefined;
      isEmpty = true;
    },
    async close(isKept) {
      if (!isKept) return pieces.remove();
      // A file without bytes is a piece without bytes.
      if (isEmpty) await pieces.put(0, new Uint8Array());
      await store();
    },
  };
}

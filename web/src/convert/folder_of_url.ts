// A file on a server, and what lies beside it there, read by ranges.
import { sourceFailed } from '../errors.js';
import { streamChunks } from '../sources/blob_source.js';
import type { SourceFolder } from './source_folder.js';

/** `url`: that of a file of weights; or, ending in a slash, that of a folder with files under the names of the hub. */
export function folderOfUrl(url: URL, signal: AbortSignal | undefined): SourceFolder {
  const weightsFile = decodeURIComponent(/[^/]*$/.exec(url.pathname)?.[0] ?? '');
  const addressOf = (file: string): URL =>
    file === weightsFile ? url : new URL(`./${encodeURIComponent(file)}`, url);
  const sizes = new Map<string, Promise<number | undefined>>();
  return {
    name: url.href,
    byteCount(file) {
      let size = sizes.get(file);
      if (!size) {
        size = byteCountAt(addressOf(file), signal);
        sizes.set(file, size);
      }
      return size;
    },
    async *read(file, offset, byteCount) {
      if (byteCount === 0) return;
      const address = addressOf(file);
      const response = await request(address, offset, byteCount, signal);
      if (response?.status !== 206 && (response?.status !== 200 || offset > 0)) {
        await response?.body?.cancel();
        throw sourceFailed(address.href, 'the server gives no ranges of it; download it', {
          got: `HTTP ${response?.status ?? 404}`,
        });
      }
      let left = byteCount;
      for await (const chunk of streamChunks(bodyOf(response, address))) {
        yield chunk.subarray(0, left);
        left -= Math.min(left, chunk.length);
        if (left === 0) return;
      }
    },
    ...(weightsFile !== '' && { weightsFile }),
  };
}

async function byteCountAt(
  address: URL,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const response = await request(address, 0, 1, signal);
  if (!response) return undefined;
  if (response.status === 206) {
    await response.body?.cancel();
    const range = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '');
    // Pages do not see this header of every server.
    const total = range?.[1] ?? (await lengthAt(address, signal));
    if (total !== undefined && /^\d+$/.test(total)) return Number(total);
    throw sourceFailed(address.href, 'the server does not tell its length; download it');
  }
  // All of it, where the server knows no ranges.
  let byteCount = 0;
  for await (const chunk of streamChunks(bodyOf(response, address))) byteCount += chunk.length;
  return byteCount;
}

async function lengthAt(
  address: URL,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const response = await fetch(address, { method: 'HEAD', ...(signal && { signal }) });
  return response.headers.get('Content-Length') ?? undefined;
}

const bodyOf = ({ body }: Response, address: URL): ReadableStream<Uint8Array> => {
  if (!body) throw sourceFailed(address.href, 'the response has no body');
  return body;
};

/** Undefined where there is no such file. */
async function request(
  address: URL,
  offset: number,
  byteCount: number,
  signal: AbortSignal | undefined,
): Promise<Response | undefined> {
  let response: Response;
  try {
    response = await fetch(address, {
      headers: { Range: `bytes=${offset}-${offset + byteCount - 1}` },
      ...(signal && { signal }),
    });
  } catch (error) {
    throw sourceFailed(address.href, 'the request failed', { got: String(error) }, error);
  }
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 404) return undefined;
  // An empty file has no first byte.
  if (response.status === 416 && offset === 0) return new Response(new Uint8Array());
  const got = `HTTP ${response.status}`;
  throw sourceFailed(address.href, `the server answered ${got}`, { got });
}

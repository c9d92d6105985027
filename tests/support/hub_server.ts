// A server that answers as the Hugging Face hub does, large files by way of another origin, and fails as it is told to.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const commit = '0123456789abcdef0123456789abcdef01234567';

/** What goes wrong, and how often it still will. */
export interface Faults {
  /** Connections that end after so many bytes of a large file. */
  cuts: number[];
  ignoresRanges: boolean;
  /** The last byte of large files is another one. */
  corrupts: boolean;
  /** Milliseconds between pieces of large files. */
  pauses: number;
  /** The last piece of a large file waits for this. */
  holdsEnd?: Promise<void>;
  /** Answers to requests for a file, before it is given. */
  refusals: number[];
  /** Large files are this page instead, of that type. */
  page?: { readonly text: string; readonly type: string };
  /** What Content-Range says of a part, in place of the truth. */
  contentRange?: string;
  /** Requests for the list of files are never answered. */
  hangs: boolean;
}

export interface HubServer {
  readonly endpoint: string;
  readonly faults: Faults;
  /** Method, path and range of every request; and of those to the other origin, which had the token. */
  readonly requests: string[];
  readonly leaks: string[];
  close(): Promise<void>;
}

type Files = Readonly<Record<string, Uint8Array>>;

interface Options {
  readonly repository: string;
  readonly files: Files;
  /** Files of other repositories; large ones lie at /store/OWNER/NAME/FILE. */
  readonly others?: Readonly<Record<string, Files>>;
  /** Only who has this token sees the repository. */
  readonly token?: string;
  readonly isGated?: boolean;
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const blobId = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

export async function startHub(options: Options): Promise<HubServer> {
  const { repository, files, others = {}, token, isGated } = options;
  const repositories: Readonly<Record<string, Files>> = { ...others, [repository]: files };
  const isLarge = (name: string): boolean => /\.(safetensors|bin)$/.test(name);
  const faults: Faults = {
    ...{ cuts: [], ignoresRanges: false, corrupts: false, pauses: 0, refusals: [], hangs: false },
  };
  const requests: string[] = [];
  const leaks: string[] = [];
  const noteRequest = (request: IncomingMessage): string => {
    const path = decodeURI(request.url ?? '');
    requests.push(`${path} ${request.headers.range ?? ''}`.trim());
    return path;
  };

  const store = createServer((request, response) => {
    if (allowPages(request, response)) return;
    const path = noteRequest(request);
    if (request.headers.authorization !== undefined) leaks.push(path);
    const [, owner = '', stored = ''] = /^\/store\/(?:(.*)\/)?([^/]*)$/.exec(path) ?? [];
    const bytes = (owner === '' ? files : repositories[owner])?.[stored];
    if (!bytes) return void response.writeHead(404).end();
    void sendLarge(request, response, bytes, faults);
  });
  const elsewhere = await listen(store);

  const refuse = (response: ServerResponse, status: number, code?: string): void => {
    response.writeHead(status, code === undefined ? {} : { 'x-error-code': code }).end();
  };
  const hub = createServer((request, response) => {
    if (allowPages(request, response)) return;
    const path = noteRequest(request);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      refuse(response, 401, 'RepoNotFound');
      return;
    }
    if (isGated) {
      refuse(response, 403, 'GatedRepo');
      return;
    }
    const [, listed = '', revision] =
      /^\/api\/models\/(.*?)\/revision\/(.*)\?blobs=true$/.exec(path) ?? [];
    const found = repositories[listed];
    if (revision !== undefined && found) {
      if (faults.hangs) return;
      if (!['main', 'v1', commit].includes(revision)) {
        refuse(response, 404, 'RevisionNotFound');
        return;
      }
      const siblings = Object.entries(found).map(([rfilename, bytes]) => ({
        ...{ rfilename, size: bytes.length, blobId: blobId(bytes) },
        ...(isLarge(rfilename) && { lfs: { sha256: sha256(bytes), size: bytes.length } }),
      }));
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ id: listed, sha: commit, siblings }));
    }
    const [, owner = '', name = ''] = new RegExp(`^/(.*)/resolve/${commit}/(.*)$`).exec(path) ?? [];
    const bytes = repositories[owner]?.[name];
    if (!bytes) {
      refuse(response, 404, 'RepoNotFound');
      return;
    }
    const status = faults.refusals.shift();
    if (status !== undefined) {
      refuse(response, status);
      return;
    }
    if (isLarge(name)) {
      const stored = owner === repository ? name : `${owner}/${name}`;
      return void response.writeHead(302, { location: `${elsewhere}/store/${stored}` }).end();
    }
    response.writeHead(200, { etag: `"${blobId(bytes)}"` }).end(bytes);
  });
  const endpoint = await listen(hub);
  return {
    ...{ endpoint, faults, requests, leaks },
    async close() {
      for (const server of [hub, store]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** As the hub does; it allows no If-Range, for one. Returns whether the request was only the question. */
function allowPages(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'authorization');
  response.setHeader('access-control-expose-headers', 'x-error-code, etag, content-range');
  if (request.method === 'OPTIONS') response.writeHead(204).end();
  return request.method === 'OPTIONS';
}

const pageBytes = (text: string, byteCount: number): Uint8Array =>
  new TextEncoder().encode(text.padEnd(byteCount));

async function sendLarge(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  faults: Faults,
): Promise<void> {
  const [, from] =
    (!faults.ignoresRanges && /^bytes=(\d+)-$/.exec(request.headers.range ?? '')) || [];
  const { page, contentRange } = faults;
  const sent = page ? pageBytes(page.text, bytes.length) : bytes.slice(Number(from ?? 0));
  if (faults.corrupts) sent[sent.length - 1] = (sent.at(-1) ?? 0) ^ 1;
  response.writeHead(from === undefined || page ? 200 : 206, {
    'content-length': sent.length,
    ...(page && { 'content-type': page.type }),
    ...(from !== undefined && contentRange !== undefined && { 'content-range': contentRange }),
  });
  const cut = faults.cuts.shift() ?? Infinity;
  const pieceBytes = Math.ceil(bytes.length / 8);
  for (let at = 0; at < sent.length; at += pieceBytes) {
    const end = Math.min(at + pieceBytes, cut);
    if (at + pieceBytes >= sent.length) await faults.holdsEnd;
    await new Promise((done) => response.write(sent.subarray(at, end), done));
    if (end === cut) return void response.destroy();
    if (faults.pauses > 0) await new Promise((done) => setTimeout(done, faults.pauses).unref());
  }
  response.end();
}

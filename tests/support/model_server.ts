// A server of model files with ranges and tags, which fails as it is told to; for pages it also has dist/ and an empty page.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { projectRoot } from './shared_folder.js';

export interface ServedFile {
  readonly bytes: Uint8Array;
  /** Absent: the server gives none. */
  readonly tag?: string | undefined;
}

export interface ModelServer {
  readonly address: string;
  readonly files: Map<string, ServedFile>;
  /** Requests for these files: method, path, range and If-Range. */
  readonly requests: string[];
  /** Bytes of these files that were sent. */
  sentBytes: number;
  /** Code in front of scripts of dist/, by name: what a browser lacks there is taken away so. */
  readonly preludes: Map<string, string>;
  faults: {
    /** Connections that end after so many bytes of a body above 10 kB, one after the other. */
    cuts: number[];
    ignoresRanges?: boolean;
    /** Bodies stop after so many bytes, and nothing comes any more. */
    stallsAfter?: number;
    /** Answers to the next requests. */
    refusals: number[];
  };
  /** Ends the connections that send these files. */
  drop(): void;
  /** Ends all connections and refuses new ones, and takes up work at the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export async function startModelServer(
  files: Readonly<Record<string, ServedFile>>,
): Promise<ModelServer> {
  let server: Server | undefined;
  let port = 0;
  const sending = new Set<ServerResponse>();
  const state: ModelServer = {
    address: '',
    files: new Map(Object.entries(files)),
    requests: [],
    preludes: new Map(),
    sentBytes: 0,
    faults: { cuts: [], refusals: [] },
    drop: () => sending.forEach((response) => response.destroy()),
    async stop() {
      const ending = server;
      server = undefined;
      ending?.closeAllConnections();
      await new Promise((done) => (ending ? ending.close(done) : done(undefined)));
    },
    async start() {
      server = createServer((request, response) => void answer(state, sending, request, response));
      const starting = server;
      await new Promise<void>((done) => starting.listen(port, '127.0.0.1', done));
      ({ port } = starting.address() as AddressInfo);
    },
    close: () => state.stop(),
  };
  await state.start();
  return Object.assign(state, { address: `http://127.0.0.1:${port}` });
}

async function answer(
  state: ModelServer,
  sending: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '', 'http://x');
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'authorization');
  response.setHeader('cache-control', 'no-cache');
  const path = decodeURIComponent(pathname);
  const file = state.files.get(path.slice(1));
  if (!file) {
    answerStatic(state, path, response);
    return;
  }
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  const { range, 'if-range': ifRange } = request.headers;
  state.requests.push(
    [request.method, path, range, ifRange && `if ${String(ifRange)}`].filter(Boolean).join(' '),
  );
  const refusal = state.faults.refusals.shift();
  if (refusal !== undefined) return void response.writeHead(refusal).end();
  const { bytes, tag } = file;
  if (tag !== undefined) response.setHeader('etag', tag);
  response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const isRange =
    first !== undefined &&
    !state.faults.ignoresRanges &&
    (ifRange === undefined || ifRange === tag);
  const from = isRange ? Number(first) : 0;
  if (from > 0 && from >= bytes.length) {
    return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  }
  const end = isRange && last ? Math.min(Number(last) + 1, bytes.length) : bytes.length;
  const body = bytes.subarray(from, end);
  response.writeHead(isRange ? 206 : 200, {
    'content-length': body.length,
    ...(isRange && { 'content-range': `bytes ${from}-${end - 1}/${bytes.length}` }),
  });
  if (request.method === 'HEAD') return void response.end();
  sending.add(response);
  response.once('close', () => sending.delete(response));
  await send(state, response, body);
}

async function send(state: ModelServer, response: ServerResponse, body: Uint8Array): Promise<void> {
  const cut = body.length > 10_000 ? state.faults.cuts.shift() : undefined;
  const end = Math.min(cut ?? Infinity, body.length);
  const { stallsAfter = Infinity } = state.faults;
  const pieceBytes = 1 << 16;
  for (let at = 0; at < end;) {
    const piece = body.subarray(at, Math.min(at + pieceBytes, end, stallsAfter));
    if (piece.length === 0) return; // and nothing comes any more
    await new Promise((done) => response.write(piece, done));
    if (response.destroyed) return;
    at += piece.length;
    state.sentBytes += piece.length;
  }
  // What was sent arrives; destroyed at once, a socket may take it back.
  if (end < body.length) response.socket?.destroySoon();
  else response.end();
}

function answerStatic({ preludes }: ModelServer, path: string, response: ServerResponse): void {
  if (path === '/') {
    response.setHeader('content-type', 'text/html');
    return void response.end('<!doctype html><title>empty</title><link rel="icon" href="data:,">');
  }
  const file = join(projectRoot, path.startsWith('/models/') ? path : `dist${path}`);
  if (path.includes('..') || !existsSync(file) || !statSync(file).isFile()) {
    return void response.writeHead(404).end();
  }
  response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
  response.write(preludes.get(path.slice(1)) ?? '');
  response.end(readFileSync(file));
}

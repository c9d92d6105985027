// A server of files that gives parts of them, and counts what it sends.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RangeServer {
  readonly address: string;
  readonly files: Map<string, Uint8Array>;
  /** Bytes of bodies, and one line for each request: method, path, range. */
  sentBytes: number;
  readonly requests: string[];
  behaviour: {
    /** Whole files, whatever is asked for. */
    ignoresRanges?: boolean;
    /** As a page sees a server that does not show this header to others. */
    hidesContentRange?: boolean;
    /** Another one for each answer. */
    changesTags?: boolean;
    /** Ends connections after half of a body. */
    cutsBodies?: boolean;
  };
  close(): Promise<void>;
}

export async function startRangeServer(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<RangeServer> {
  let answers = 0;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname.slice(1));
    state.requests.push(`${request.method} ${path} ${request.headers.range ?? ''}`.trim());
    const bytes = state.files.get(path);
    if (!bytes) return void response.writeHead(404).end();
    const { ignoresRanges, hidesContentRange, changesTags, cutsBodies } = state.behaviour;
    response.setHeader('content-type', 'application/octet-stream');
    response.setHeader('etag', changesTags ? `"${++answers}"` : '"one"');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    let body = bytes;
    if (from !== undefined && to !== undefined && !ignoresRanges) {
      if (Number(from) >= bytes.length) {
        return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      }
      body = bytes.subarray(Number(from), Number(to) + 1);
      const last = Number(from) + body.length - 1;
      if (!hidesContentRange) {
        response.setHeader('content-range', `bytes ${from}-${last}/${bytes.length}`);
      }
      response.statusCode = 206;
    }
    response.setHeader('content-length', body.length);
    if (request.method === 'HEAD') return void response.end();
    if (cutsBodies) {
      return void response.write(body.subarray(0, body.length / 2), () => response.destroy());
    }
    state.sentBytes += body.length;
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const state: RangeServer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: new Map(Object.entries(files)),
    sentBytes: 0,
    requests: [],
    behaviour: {},
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return state;
}

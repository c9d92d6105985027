// A server of files that gives parts of them, and counts what it sends.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RangeServer {
  readonly address: string;
  readonly files: Map<string, Uint8Array>;
  /** Bytes of bodies, and one line for each request: method, path, range. */
  sentBytes: number;
  readonly requests: string[];
  /** The most requests that were unanswered at the same time. */
  mostAtOnce: number;
  /** Answers nothing until release(); until(n) waits for so many requests. */
  holdAnswers(): { until(count: number): Promise<void>; release(): void };
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

const pathOf = ({ url }: IncomingMessage): string =>
  decodeURIComponent(new URL(url ?? '', 'http://x').pathname.slice(1));

export async function startRangeServer(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<RangeServer> {
  let answers = 0;
  let atOnce = 0;
  let held: Promise<void> | undefined;
  const arrivals = new Set<() => void>();
  const server = createServer((request, response) => {
    state.mostAtOnce = Math.max(state.mostAtOnce, ++atOnce);
    response.once('close', () => --atOnce);
    state.requests.push(
      `${request.method} ${pathOf(request)} ${request.headers.range ?? ''}`.trim(),
    );
    for (const arrived of arrivals) arrived();
    if (held) void held.then(() => answer(request, response));
    else answer(request, response);
  });
  const answer: RequestListener = (request, response) => {
    const path = pathOf(request);
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
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const state: RangeServer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: new Map(Object.entries(files)),
    sentBytes: 0,
    requests: [],
    mostAtOnce: 0,
    holdAnswers() {
      let release = (): void => undefined;
      held = new Promise((done) => {
        release = () => {
          held = undefined;
          done();
        };
      });
      return {
        until: (count) =>
          new Promise((done) => {
            const check = (): void => {
              if (atOnce >= count) done();
            };
            arrivals.add(check);
            check();
          }),
        release,
      };
    },
    behaviour: {},
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return state;
}

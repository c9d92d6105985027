// Serves dist/demo on this machine only, with the headers that the page is meant to live under.
//
//   node scripts/serve_demo.mjs [--port N]
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import {
  integerOption,
  isProgram,
  main,
  readArguments,
  root,
  StepError,
} from './toolchain/steps.mjs';

/** Where models by name come from: the hub, and the file servers that it sends large files from. */
const hub = 'https://huggingface.co https://*.huggingface.co https://*.hf.co';

/** Nothing from elsewhere but models, no inline script, no eval; WebAssembly may be compiled. */
export const contentSecurityPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
  `connect-src 'self' ${hub}; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; ` +
  "manifest-src 'self'";

/** With these a page may share memory, so that its engines have threads. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const defaultPort = 8080;

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** Bytes of a file that is read at once, which takes a third of a stream's processor time. */
const mostAtOnce = 4 * 2 ** 20;

/**
 * The file that a request's path names, inside `folder` or one of `models`, and its content unless it is large; undefined when there
 * is none.
 */
function fileOf({ folder, models }, url) {
  try {
    const path = decodeURIComponent(url.split('?')[0]);
    if (path.includes('\0') || path.includes('\\')) return undefined;
    const model = models.find((one) => path === `/models/${fileNameOf(one)}`);
    const file = model?.path ?? join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!model && !file.startsWith(folder + sep)) return undefined;
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    if (stat.size > mostAtOnce) return { file, size: stat.size };
    const bytes = readFileSync(file);
    return { file, size: bytes.length, bytes };
  } catch {
    return undefined;
  }
}

/** What a model is called below models/; its ending, where the name has none. */
const fileNameOf = ({ name, path }) => (name.endsWith(extname(path)) ? name : `${name}.apr`);

/** The page's own list of models between those that are served besides, and examples, which know digits alone. */
function listOf({ folder, models }) {
  const offered = (model) => ({
    name: model.name,
    file: `models/${encodeURIComponent(fileNameOf(model))}`,
    byteCount: statSync(model.path, { throwIfNoEntry: false })?.size,
    ...(model.isExample
      ? { sample: 'sample.wav', knowsDigitsAlone: true }
      : { sample: 'sentences.wav' }),
  });
  return JSON.stringify([
    ...models.filter(({ isExample }) => !isExample).map(offered),
    ...JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8')),
    ...models.filter(({ isExample }) => isExample).map(offered),
  ]);
}

function answer({ folder, isolated, models, headers }, request, response) {
  const head = {
    ...(isolated && isolation),
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
    ...headers,
  };
  const refuse = (status, text) => {
    response.writeHead(status, { ...head, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${text}\n`);
  };
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'GET or HEAD only');
  if (models.length > 0 && request.url.split('?')[0] === '/models.json') {
    response.writeHead(200, { ...head, 'Content-Type': types['.json'] });
    return response.end(listOf({ folder, models }));
  }
  const found = fileOf({ folder, models }, request.url);
  if (!found) return refuse(404, 'Not found');
  response.writeHead(200, {
    ...head,
    'Content-Type': types[extname(found.file)] ?? 'application/octet-stream',
    'Content-Length': found.size,
  });
  if (found.bytes || request.method === 'HEAD') return response.end(found.bytes);
  createReadStream(found.file)
    .on('error', () => response.destroy())
    .pipe(response);
}

/**
 * Starts serving `folder` on 127.0.0.1, cross-origin isolated or not. Without a port: 8080, or any free one when that is
 * taken. `models` are offered by the page in front of its own, `headers` stand instead of the page's own or besides them. Returns
 * { address, close }.
 * @type {(options?: {
 *   folder?: string;
 *   models?: readonly { name: string; path: string; isExample?: boolean }[];
 *   port?: number;
 *   isolated?: boolean;
 *   headers?: Readonly<Record<string, string>>;
 * }) => Promise<{ address: string; close: () => Promise<void> }>}
 */
export async function serve(options = {}) {
  const { folder = join(root, 'dist/demo'), models = [], port, isolated = false } = options;
  const { headers = {} } = options;
  const server = createServer((request, response) =>
    answer({ folder, isolated, models, headers }, request, response),
  );
  const listen = (wanted) =>
    new Promise((done, failed) => {
      server.once('error', failed);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', failed);
        done();
      });
    });
  try {
    await listen(port ?? defaultPort);
  } catch (error) {
    if (port !== undefined) {
      throw new StepError(
        `Cannot serve on port ${port}: ${error.message}`,
        'Try another: --port N',
      );
    }
    await listen(0);
  }
  const close = () =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}

/** The port that `--port` names, or undefined without it. */
export const portFrom = (text) => integerOption('port', text, 0, 65535);

if (isProgram(import.meta)) {
  await main(async () => {
    const { values } = readArguments({ options: { port: { type: 'string' } } });
    const { address } = await serve({ port: portFrom(values.port), isolated: true });
    console.log(address);
  });
}

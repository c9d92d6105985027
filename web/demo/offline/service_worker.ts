// The service worker: the page's own files without a network, shared files, and a look at what the page's workers send.
import { OfflineFiles, type PageFiles } from './offline_files.js';
import { seenRequest, takeOver } from './seen_request.js';
import { receiveShared, sharePath } from './shared_files.js';
import type { WorkerScope } from './worker_scope.js';

/** Put in when the page is built. */
declare const pageFiles: PageFiles;

const scope = globalThis as unknown as WorkerScope;
const base = scope.registration.scope;

const files = new OfflineFiles(pageFiles, {
  base,
  caches,
  fetch: (request) => fetch(request),
  digest: async (bytes) => {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  },
});

scope.addEventListener('install', (event) => event.waitUntil(files.install()));

scope.addEventListener('activate', (event) =>
  event.waitUntil(
    files.activate().then(() => {
      // From the first visit on; a later version takes over where the person says so. Nothing waits for it: Firefox claims the page's
      // workers one by one, those that sleep in Atomics.wait() never answer, and until it is active every request of the page is held.
      scope.clients.claim().catch(() => undefined);
    }),
  ),
);

scope.addEventListener('message', ({ data }) => {
  if (data === takeOver) void scope.skipWaiting();
});

scope.addEventListener('fetch', (event) => {
  const { request, clientId } = event;
  if (request.method === 'POST' && request.url === `${base}${sharePath}`) {
    event.respondWith(receiveShared(request, base, caches));
    return;
  }
  event.waitUntil(tellPages(request, clientId));
  const answer = files.answer(request);
  if (answer) event.respondWith(answer);
});

/** The page sees its own requests; those of its workers are seen here alone. */
async function tellPages(request: Request, clientId: string): Promise<void> {
  const copy = request.clone();
  const client = await scope.clients.get(clientId);
  if (client?.type !== 'worker') return;
  const seen = await seenRequest(copy);
  for (const page of await scope.clients.matchAll({ type: 'window' })) page.postMessage(seen);
}

// Files that another app shared with the installed page: the service worker keeps them until the page has opened and takes them.

/** Where the system posts them to, beside the page; nothing is there on the server. */
export const sharePath = 'share-target';
/** What the page is opened with then. */
export const sharedMark = 'shared';
/** The field of the posted form. */
const field = 'recordings';

const cacheName = 'susurrus-shared';

/** Keeps the files of a posted form, and leads to the page. */
export async function receiveShared(
  request: Request,
  base: string,
  caches: CacheStorage,
): Promise<Response> {
  const form = await request.formData();
  const files = form.getAll(field).filter((one): one is File => typeof one !== 'string');
  const cache = await caches.open(cacheName);
  await Promise.all(
    files.map((file, at) =>
      cache.put(
        `${base}${sharePath}/${Date.now()}-${at}`,
        new Response(file, {
          headers: {
            'Content-Type': file.type || 'application/octet-stream',
            'X-File-Name': encodeURIComponent(file.name),
          },
        }),
      ),
    ),
  );
  return Response.redirect(`${base}?${sharedMark}`, 303);
}

/** The files that were shared; they are given once. */
export async function takeShared(caches: CacheStorage): Promise<readonly File[]> {
  if (!(await caches.has(cacheName))) return [];
  const cache = await caches.open(cacheName);
  const keys = await cache.keys();
  const answers = await Promise.all(keys.map((key) => cache.match(key)));
  const files = await Promise.all(answers.flatMap((answer) => (answer ? [fileOf(answer)] : [])));
  await caches.delete(cacheName);
  return files;
}

async function fileOf(answer: Response): Promise<File> {
  const blob = await answer.blob();
  const name = decodeURIComponent(answer.headers.get('X-File-Name') ?? 'recording');
  return new File([blob], name, { type: blob.type });
}

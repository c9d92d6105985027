// Folders of the hub's files on a server of one's own, which has neither lists nor digests.
import { sourceFailed } from '../../src/api/errors.js';
import { orAborted } from '../../src/api/signals.js';
import { checkAnswer, discard, fetchAnswer, isPage } from '../../src/sources/open_source.js';
import { request, validatorOf } from '../../src/sources/file_answers.js';
import { fillTemplate, type Repository } from './repository.js';
import type { HubFile, RepositoryFiles } from './repository_files.js';

/** Statuses of files that are not there; some servers do not admit it. */
const absent = new Set([401, 403, 404, 410]);

/** Whether a file is large. Small ones are fetched whole, since a compressing server does not state their size. */
const isLarge = (name: string): boolean => /\.(safetensors|bin|apr)$/i.test(name);

interface OwnFile extends HubFile {
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** `template`: the URL of a folder, such as https://my.site/models/{model}/. */
export function ownFiles(
  template: string,
  repository: Repository,
  token: string | undefined,
  signal: AbortSignal | undefined,
): RepositoryFiles {
  const folder = fillTemplate(template, repository);
  const found = new Map<string, Promise<OwnFile | undefined>>();
  const urlOf = (name: string): string => new URL(encodeURIComponent(name), folder).href;
  const get = (name: string, init: RequestInit, ending = signal): Promise<Response> => {
    const url = urlOf(name);
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetchAnswer(new Request(url, { ...init, cache: 'no-store' }), url, ending, headers);
  };
  const look = async (name: string): Promise<OwnFile | undefined> => {
    const answer = await get(name, { method: isLarge(name) ? 'HEAD' : 'GET' });
    if (absent.has(answer.status) || isPage(answer)) {
      discard(answer);
      return undefined;
    }
    checkAnswer(answer, `${folder}${name}`);
    if (!isLarge(name)) {
      const bytes = new Uint8Array(await orAborted(answer.arrayBuffer(), signal));
      return { name, byteCount: bytes.length, bytes };
    }
    const length = answer.headers.get('Content-Length');
    if (length === null || answer.headers.get('Content-Encoding')) {
      throw sourceFailed(`${folder}${name}`, 'its server does not give the length of the file', {
        expected: 'Content-Length',
      });
    }
    const validator = validatorOf(answer);
    return { name, byteCount: Number(length), ...(validator !== undefined && { validator }) };
  };
  return {
    title: folder,
    place: folder,
    urlOf: ({ name }) => urlOf(name),
    find(name) {
      let file = found.get(name);
      if (!file) {
        found.set(name, (file = look(name)));
        file.catch(() => found.delete(name));
      }
      return file;
    },
    async open(file: OwnFile, offset, ending) {
      if (file.bytes) return new Response(file.bytes);
      return request({ url: urlOf(file.name), token, signal: ending }, offset, file.validator);
    },
  };
}

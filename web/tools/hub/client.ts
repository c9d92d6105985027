// The Hugging Face hub's HTTP: what a repository holds, and bytes of its files.
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { isObject } from '../convert/json_files.js';
import { orAborted, throwIfAborted } from '../../src/api/signals.js';
import { discard } from '../../src/sources/open_source.js';
import { titleOf, type Repository } from './repository.js';
import type { HubFile, RepositoryFiles } from './repository_files.js';

export interface HubSettings {
  readonly endpoint: string;
  readonly token?: string | undefined;
  /** For messages: what a caller sets to give the token. */
  readonly tokenName: string;
  readonly isOffline?: boolean;
}

export const publicHub = 'https://huggingface.co';

export class HubClient {
  readonly #settings: HubSettings;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: HubSettings, signal: AbortSignal | undefined) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Every file of a repository at a revision. */
  async list(repository: Repository): Promise<RepositoryFiles> {
    const { name, revision } = repository;
    const path = `api/models/${name}/revision/${encodeURIComponent(revision)}?blobs=true`;
    const answer = await this.#get(path, repository, {}, this.#signal);
    const refuse = (): never => {
      throw sourceFailed(titleOf(repository), 'the hub answered with something else than a list');
    };
    const listing: unknown = await orAborted(answer.json(), this.#signal).catch(
      (error: unknown) => {
        throwIfAborted(this.#signal);
        throw error instanceof SusurrusError ? error : refuse();
      },
    );
    if (!isObject(listing) || !Array.isArray(listing.siblings)) return refuse();
    const { sha } = listing;
    if (typeof sha !== 'string' || !/^[0-9a-f]{40}$/.test(sha)) return refuse();
    const files = new Map(
      listing.siblings.flatMap((entry): [string, HubFile][] => {
        const file = fileOf(entry);
        return file ? [[file.name, file]] : [];
      }),
    );
    const pathOf = ({ name: file }: HubFile): string =>
      `${name}/resolve/${sha}/${file.split('/').map(encodeURIComponent).join('/')}`;
    const { endpoint } = this.#settings;
    return {
      title: titleOf(repository),
      place: `${endpoint}/${name}/${sha}`,
      commit: sha,
      names: [...files.keys()],
      find: (file) => Promise.resolve(files.get(file)),
      urlOf: (file) => `${endpoint}/${pathOf(file)}`,
      open: (file, offset, signal) => {
        const headers: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
        return this.#get(pathOf(file), repository, headers, signal);
      },
    };
  }

  async #get(
    path: string,
    repository: Repository,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { endpoint, token, tokenName, isOffline } = this.#settings;
    const title = titleOf(repository);
    if (isOffline) throw sourceFailed(title, 'it is not here, and HF_HUB_OFFLINE forbids to ask');
    let answer: Response;
    try {
      // Redirected elsewhere, as large files are, fetch leaves the token out.
      answer = await fetch(`${endpoint}/${path}`, {
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        // The browser's own cache would hold everything a second time.
        cache: 'no-store',
        ...(signal && { signal }),
      });
    } catch (error) {
      throwIfAborted(signal);
      throw sourceFailed(title, `${endpoint} could not be reached`, { got: String(error) }, error);
    }
    if (answer.ok) return answer;
    discard(answer);
    throw refusal(answer, title, { endpoint, tokenName, hasToken: token !== undefined });
  }
}

function fileOf(entry: unknown): HubFile | undefined {
  if (!isObject(entry)) return undefined;
  const { rfilename: name, size, blobId, lfs } = entry;
  if (typeof name !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size)) {
    return undefined;
  }
  if (size < 0) return undefined;
  if (isObject(lfs) && typeof lfs.sha256 === 'string') {
    return { name, byteCount: size, digest: { kind: 'sha256', hex: lfs.sha256.toLowerCase() } };
  }
  if (typeof blobId !== 'string') return undefined;
  return { name, byteCount: size, digest: { kind: 'git', hex: blobId.toLowerCase() } };
}

/** Why the hub does not give something, in words that help. */
function refusal(
  answer: Response,
  title: string,
  {
    endpoint,
    tokenName,
    hasToken,
  }: { readonly endpoint: string; readonly tokenName: string; readonly hasToken: boolean },
): SusurrusError {
  const { status } = answer;
  const code = answer.headers.get('x-error-code');
  const details = { got: `HTTP ${status}${code ? `, ${code}` : ''}` };
  if (code === 'RevisionNotFound') {
    return sourceFailed(title, 'the repository has no such revision', details);
  }
  if (code === 'GatedRepo' || status === 403) {
    return sourceFailed(
      title,
      `access has to be granted at ${endpoint}/${title.split('@')[0]}, ${hasToken ? `to the owner of ${tokenName}` : `and ${tokenName} set`}`,
      details,
    );
  }
  if (status === 401 || status === 404) {
    return sourceFailed(
      title,
      hasToken
        ? `${endpoint} has no such repository, or not for this ${tokenName}`
        : `${endpoint} has no such repository, or it is private and wants ${tokenName}`,
      details,
    );
  }
  return sourceFailed(title, `${endpoint} answered HTTP ${status}`, details);
}

// The Hugging Face hub's HTTP: what a repository holds, and bytes of its files.
import { sourceFailed, type SusurrusError } from '../../src/api/errors.js';
import { isObject } from '../convert/json_files.js';
import { throwIfAborted } from '../../src/api/signals.js';
import { discard } from '../../src/sources/open_source.js';
import { titleOf, type Repository } from './repository.js';

/** What the hub says of a file. */
export interface HubFile {
  readonly name: string;
  readonly byteCount: number;
  /** Large files have the SHA-256 of their content, others Git's own SHA-1 of a blob. */
  readonly digest: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

export interface HubListing {
  readonly commit: string;
  readonly files: readonly HubFile[];
}

/** Address and credentials of the hub, from the same variables as its own tools: HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE. */
export interface HubSettings {
  readonly endpoint: string;
  readonly token?: string;
  readonly isOffline: boolean;
}

export function hubSettings(env: Readonly<Record<string, string | undefined>>): HubSettings {
  const isSet = (name: string): boolean => /^(1|on|yes|true)$/i.test(env[name] ?? '');
  return {
    endpoint: (env.HF_ENDPOINT || 'https://huggingface.co').replace(/\/+$/, ''),
    isOffline: isSet('HF_HUB_OFFLINE'),
    ...(env.HF_TOKEN && { token: env.HF_TOKEN }),
  };
}

export class HubClient {
  readonly #settings: HubSettings;
  readonly #signal: AbortSignal;

  constructor(settings: HubSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Every file of a repository at a revision, and the commit that this is. */
  async list(repository: Repository): Promise<HubListing> {
    const { name, revision } = repository;
    const path = `api/models/${name}/revision/${encodeURIComponent(revision)}?blobs=true`;
    const answer = await this.#get(path, repository, {});
    const refuse = (): never => {
      throw sourceFailed(titleOf(repository), 'the hub answered with something else than a list');
    };
    const listing: unknown = await answer.json().catch(refuse);
    if (!isObject(listing) || !Array.isArray(listing.siblings)) return refuse();
    const { sha } = listing;
    if (typeof sha !== 'string' || !/^[0-9a-f]{40}$/.test(sha)) return refuse();
    return {
      commit: sha,
      files: listing.siblings.map(fileOf).filter((file) => file !== undefined),
    };
  }

  /** The bytes of a file from `offset` on. An answer of status 206 begins there, one of 200 at the file's beginning. */
  open(repository: Repository, commit: string, file: string, offset: number): Promise<Response> {
    const path = `${repository.name}/resolve/${commit}/${file.split('/').map(encodeURIComponent).join('/')}`;
    return this.#get(path, repository, offset > 0 ? { range: `bytes=${offset}-` } : {});
  }

  async #get(
    path: string,
    repository: Repository,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { endpoint, token, isOffline } = this.#settings;
    const title = titleOf(repository);
    if (isOffline) throw sourceFailed(title, 'it is not here, and HF_HUB_OFFLINE forbids to ask');
    let answer: Response;
    try {
      // Redirected elsewhere, as large files are, fetch leaves the token out.
      answer = await fetch(`${endpoint}/${path}`, {
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        signal: this.#signal,
      });
    } catch (error) {
      throwIfAborted(this.#signal);
      throw sourceFailed(title, `${endpoint} could not be reached`, {}, error);
    }
    if (answer.ok) return answer;
    discard(answer);
    throw refusal(answer, title, { endpoint, hasToken: token !== undefined });
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
  { endpoint, hasToken }: { readonly endpoint: string; readonly hasToken: boolean },
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
      `access has to be granted at ${endpoint}/${title.split('@')[0]}, ${hasToken ? 'to the owner of HF_TOKEN' : 'and HF_TOKEN set'}`,
      details,
    );
  }
  if (status === 401 || status === 404) {
    return sourceFailed(
      title,
      hasToken
        ? `${endpoint} has no such repository, or not for this HF_TOKEN`
        : `${endpoint} has no such repository, or it is private and wants HF_TOKEN`,
      details,
    );
  }
  return sourceFailed(title, `${endpoint} answered HTTP ${status}`, details);
}

import { HubClient } from './client.js';
import { ownFiles } from './own_files.js';
import { isTemplate, type Repository } from './repository.js';
import type { RepositoryFiles } from './repository_files.js';

/** In a page: the files of a repository, wherever `hub` says they are. */
export async function openRepository(
  repository: Repository,
  hub: string,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<RepositoryFiles> {
  if (isTemplate(hub)) return ownFiles(hub, repository, token, signal);
  const settings = { endpoint: hub.replace(/\/+$/, ''), token, tokenName: 'the option token' };
  return new HubClient(settings, signal).list(repository);
}

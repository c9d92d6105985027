import { HubClient } from './client.js';
import { ownFiles } from './own_files.js';
import { isTemplate, type Repository } from './repository.js';
import { filesOfModel } from './official_models.js';
import type { RepositoryFiles } from './repository_files.js';
import type { WeightType } from '../../src/api/generated/dtypes.js';

/** In a page: opens the files for weights of that type, at the place that `hub` gives. */
export async function openRepository(
  repository: Repository,
  dtype: WeightType,
  hub: string,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<RepositoryFiles> {
  if (isTemplate(hub)) return ownFiles(hub, repository, token, signal);
  const settings = { endpoint: hub.replace(/\/+$/, ''), token, tokenName: 'the option token' };
  const client = new HubClient(settings, signal);
  return filesOfModel(repository, dtype, (one) => client.list(one));
}

// What a name or URL means to the store.
import { invalidOption } from '../../src/api/errors.js';
import { usualType } from '../../src/sources/model_name.js';
import type { StoredRequest } from '../../src/platform/stored_model.js';
import { publicHub } from '../hub/client.js';
import {
  decodeTemplate,
  fillTemplate,
  isFileTemplate,
  isTemplate,
  parseNamedModel,
  titleOf,
} from '../hub/repository.js';
import type { HubOrigin, UrlOrigin } from './calls.js';
import type { ModelKey, ModelStore } from './model_store.js';

/** What is to be loaded, as the store knows it. */
export interface Wanted {
  readonly key: ModelKey;
  /** For messages. */
  readonly title: string;
  readonly from: UrlOrigin | HubOrigin;
}

/** `base`: the URL against which a relative `hub` is resolved. */
export async function wantedModel(
  request: StoredRequest,
  base: string | undefined,
  openStore: () => Promise<ModelStore | undefined>,
): Promise<Wanted> {
  const { model, token, cache } = request;
  if ('url' in model) return { key: { address: model.url }, title: model.url, from: model };
  const { repository, dtype: asked } = parseNamedModel(model.name, request);
  const title = titleOf(repository);
  const { name, short = name, revision } = repository;
  const hub = addressOf(request.hub ?? publicHub, base);
  if (isFileTemplate(hub)) {
    const dtype = asked ?? usualType;
    const url = fillTemplate(hub, repository, dtype);
    return { key: { address: url, name: title, dtype }, title, from: { url, token } };
  }
  const key = { address: `${hub} ${short}`, name: title, revision };
  const dtype =
    asked ?? (cache === false ? undefined : await keptType(key, openStore)) ?? usualType;
  return { key: { ...key, dtype }, title, from: { repository, hub, dtype: asked ?? dtype, token } };
}

/** Type of the model that was kept last; used if no type is requested. */
async function keptType(
  { address, revision }: ModelKey,
  openStore: () => Promise<ModelStore | undefined>,
): Promise<ModelKey['dtype']> {
  const models = (await (await openStore())?.list().catch(() => [])) ?? [];
  return models.find(
    ({ model }) => model.complete && model.address === address && model.revision === revision,
  )?.model.dtype;
}

/** A server's URL without a trailing slash, or a template as it is. */
export function addressOf(hub: string | URL, base: string | undefined): string {
  let url: string;
  try {
    url = decodeTemplate(new URL(hub, base));
  } catch {
    throw invalidOption('hub', 'a URL', hub);
  }
  return isTemplate(url) ? url : url.replace(/\/+$/, '');
}

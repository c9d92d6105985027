// Which kept models a caller means.
import { invalidOption } from '../../src/api/errors.js';
import type { KeptModel } from '../../src/api/types.js';
import { isModelName } from '../../src/sources/model_name.js';
import { parseNamedModel } from '../hub/repository.js';

/** `base`: what relative URLs are relative to. */
export function matcherOf(
  model: string | URL | KeptModel,
  base: string | undefined,
): (kept: KeptModel) => boolean {
  if (typeof model === 'string' && isModelName(model)) {
    const { repository, dtype } = parseNamedModel(model, {});
    const isRevisionMeant = model.includes('@');
    // A short name on a hub of the caller's own was kept as OpenAI's repository.
    const names = [repository.short, repository.name];
    return ({ name, revision = 'main', ...kept }) =>
      names.includes(name.replace(/@.*/, '')) &&
      (!isRevisionMeant || revision === repository.revision) &&
      (dtype === undefined || kept.dtype === dtype);
  }
  if (typeof model === 'string' || model instanceof URL) {
    const url = hrefOf(model, base);
    return ({ address }) => address === url;
  }
  if (
    typeof model !== 'object' ||
    (model as unknown) === null ||
    typeof model.address !== 'string'
  ) {
    throw invalidOption('model', 'a name, a URL, or what listModels() gave', model);
  }
  const { address, revision, dtype } = model;
  return (kept) => kept.address === address && kept.revision === revision && kept.dtype === dtype;
}

function hrefOf(model: string | URL, base: string | undefined): string {
  try {
    return new URL(model, base).href;
  } catch {
    throw invalidOption('model', "a name ('base', 'owner/name') or a URL", model);
  }
}

// downloadModel() in Node, which also writes files outside of the cache.
import { checkOptions, flag, oneOf } from '../../src/api/options.js';
import { invalidOption } from '../../src/api/errors.js';
import { pulling } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { NodeDownloadedModel, NodeDownloadOptions, WeightType } from '../../src/api/types.js';
import type { Platform } from '../../src/platform/platform.js';
import { cryptoOptionChecks } from '../../src/sources/crypto_options.js';
import { usualType } from '../../src/sources/model_name.js';
import { apr1WeightTypes } from '../convert/weight_types.js';
import { pullRepository } from '../hub/pull_model.js';
import { parseNamedModel, titleOf } from '../hub/repository.js';
import { readWhole } from '../inspection/inspect_model.js';
import { downloadModelOn, downloadOptionChecks } from './download_model.js';

export async function downloadInNode(
  platform: Platform,
  model: string | URL,
  options: NodeDownloadOptions,
): Promise<NodeDownloadedModel> {
  const isApr1 = (options as NodeDownloadOptions | null)?.format === 'apr1';
  checkOptions(options, {
    ...downloadOptionChecks,
    ...(isApr1 && { dtype: oneOf(...apr1WeightTypes) }),
    format: oneOf('apr2', 'apr1'),
    output: ['a path', (value) => typeof value === 'string' || value instanceof URL],
    force: flag,
  });
  const { format, output, force, dtype, ...own } = options;
  if (output !== undefined)
    return withProgress(pulling, options, (watched) => writeTo(output, model, watched));
  if (format === 'apr1')
    throw invalidOption('output', 'a path, since the cache holds APR2', undefined);
  const type = dtype as WeightType | undefined;
  const kept = await downloadModelOn(
    platform,
    (_platform, opening, given) => readWhole(platform, opening, given, 'stored'),
    model,
    { ...own, ...(type && { dtype: type }) },
    force,
  );
  // Every file in the cache has a path.
  return kept as NodeDownloadedModel;
}

/** A model by its name in a file of the caller's. */
async function writeTo(
  output: string | URL,
  model: string | URL,
  options: Watched<NodeDownloadOptions>,
): Promise<NodeDownloadedModel> {
  if (typeof model !== 'string') throw invalidOption('output', 'absent for a URL', output);
  for (const option of Object.keys(cryptoOptionChecks) as (keyof typeof cryptoOptionChecks)[]) {
    if (options[option] !== undefined) {
      throw invalidOption(option, 'absent beside output', options[option]);
    }
  }
  const { dtype, revision, hub, signal, format } = options;
  throwIfAborted(signal);
  const named = parseNamedModel(model, {
    ...{ revision, hub },
    dtype: dtype === 'int8' ? undefined : dtype,
  });
  const { repository } = named;
  const type = named.dtype ?? dtype;
  const { byteCount, tensorCount, warnings, path, source } = await pullRepository(repository, {
    ...options,
    ...(type && { dtype: type }),
  });
  const title = titleOf(repository);
  const written = type ?? (format === 'apr1' ? 'f16' : usualType);
  return {
    ...{ name: title.replace(/@.*/, ''), address: title, revision: repository.revision },
    ...(written !== 'int8' && { dtype: written }),
    ...{ complete: true, byteCount, totalBytes: byteCount, keptAt: new Date(), path },
    ...{ alreadyKept: false, source, tensorCount, warnings },
  };
}

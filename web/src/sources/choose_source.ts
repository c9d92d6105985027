// Decides what the source of loadModel() is: a model by its name or URL that is cached, or any other source.
import { invalidOption } from '../api/errors.js';
import type { Watched } from '../api/progress_callback.js';
import type { LoadOptions, ModelSource } from '../api/types.js';
import type { Platform } from '../platform/platform.js';
import type { StoredModel } from '../platform/stored_model.js';
import { filesOf } from './file_list.js';
import { hubFolderIn } from './hub_folder.js';
import { embeddedName, isModelName, refuseHubOptions, withoutType } from './model_name.js';

export type ChosenSource =
  | { readonly source: ModelSource; readonly stored?: undefined; readonly hubFolder?: undefined }
  | { readonly stored: StoredModel; readonly isNamed: boolean; readonly hubFolder?: undefined }
  | { readonly hubFolder: readonly File[]; readonly stored?: undefined };

/** Rejects a missing source, such as an unset variable of the caller. */
export function checkSource(source: ModelSource | null | undefined): asserts source is ModelSource {
  if (source !== undefined && source !== null && source !== '') return;
  throw invalidOption('source', "a model: its name ('base'), URL, file, bytes or stream", source);
}

/** A name that a file has, in Node, is that file's path. */
export async function chooseSource(
  source: ModelSource,
  platform: Platform,
  options: Watched<LoadOptions>,
): Promise<ChosenSource> {
  checkSource(source);
  if (typeof source === 'string' && isModelName(source) && !(await platform.isFile(source))) {
    if (source !== embeddedName) {
      const stored = await platform.openStored({ ...options, model: { name: source } });
      return { stored, isNamed: true };
    }
    refuseHubOptions(options, true);
    return { source: platform.embeddedModel };
  }
  refuseHubOptions(options, true);
  const { cache = false } = options;
  if (cache === false) {
    const files = filesOf(source);
    const hubFolder = files && (await hubFolderIn(files));
    return hubFolder ? { hubFolder } : { source };
  }
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw invalidOption('cache', 'absent or false: only models by name or URL are kept', cache);
  }
  const url = platform.urlOf(source);
  // What has a path lies here already.
  if (url === undefined) return { source };
  const request = withoutType(options);
  return { stored: await platform.openStored({ ...request, model: { url } }), isNamed: false };
}

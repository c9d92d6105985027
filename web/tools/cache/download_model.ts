// downloadModel(): what loadModel() would fetch and keep, without an engine. The code that reads model files verifies it instead.
import { checkOptions, progressCheck, signalCheck } from '../../src/api/options.js';
import { invalidOption } from '../../src/api/errors.js';
import { pulling } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import type { DownloadedModel, DownloadOptions, KeptModel } from '../../src/api/types.js';
import type { OpenedSource, Platform } from '../../src/platform/platform.js';
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { checkCryptoOptions, cryptoOptionChecks } from '../../src/sources/crypto_options.js';
import { notKeepable } from '../../src/sources/kept_errors.js';
import {
  embeddedName,
  hubOptionChecks,
  isModelName,
  refuseHubOptions,
} from '../../src/sources/model_name.js';

/** What reading a whole file found in it. */
interface VerifiedFile {
  readonly tensors: readonly unknown[];
  readonly warnings: readonly string[];
}

/** Reads a whole model file, and rejects where it is wrong. */
export type Verify = (
  platform: Platform,
  opening: Promise<OpenedSource>,
  options: Watched<DownloadOptions>,
) => Promise<VerifiedFile>;

export const downloadOptionChecks = {
  ...hubOptionChecks,
  ...cryptoOptionChecks,
  onProgress: progressCheck,
  signal: signalCheck,
};

/** `isFresh`: nothing that is kept is used. */
export async function downloadModelOn(
  platform: Platform,
  verify: Verify,
  model: string | URL,
  options: DownloadOptions,
  isFresh = false,
): Promise<DownloadedModel> {
  checkOptions(options, downloadOptionChecks);
  await checkCryptoOptions(options);
  throwIfAborted(options.signal);
  return withProgress(pulling, options, async ({ onProgress, ...own }) => {
    const heard: { isFetched: boolean; repository?: string | undefined } = { isFetched: false };
    const stored = await platform.openStored({
      ...own,
      model: wantedOf(platform, model, options),
      cache: true,
      mustKeep: true,
      isFresh,
      onProgress: (event) => {
        heard.isFetched ||= event.phase === 'download';
        heard.repository ??= event.source;
        onProgress?.(event);
      },
    });
    try {
      const { tensors, warnings } = await readVerified(stored, (opening) =>
        verify(platform, opening, own),
      );
      const kept = await keptModel(stored);
      const { isFetched, repository } = heard;
      const source = repository ?? (isUrl(kept.address) ? kept.address : undefined);
      return {
        ...{ ...kept, alreadyKept: !isFetched, tensorCount: tensors.length, warnings },
        ...(isFetched && source !== undefined && { source }),
      };
    } catch (error) {
      throw abortedOr(options.signal, error);
    } finally {
      await stored.close();
    }
  });
}

/** A name's address is a hub and a repository, or a title. */
const isUrl = (address: string): boolean => /^[a-z][a-z0-9+.-]*:\S+$/i.test(address);

/** What is wrong is fetched again, as when it is loaded. */
async function readVerified(
  stored: StoredModel,
  read: (opening: Promise<OpenedSource>) => Promise<VerifiedFile>,
): Promise<VerifiedFile> {
  for (let open = () => stored.open(); ;) {
    try {
      return await read(open());
    } catch (error) {
      const again = stored.again(error);
      if (!again) throw error;
      open = again;
    }
  }
}

async function keptModel(stored: StoredModel): Promise<KeptModel> {
  const [problem] = await stored.keep();
  if (problem !== undefined) throw notKeepable(problem);
  const kept = await stored.kept();
  if (!kept?.complete) throw notKeepable('not kept: somebody deleted it meanwhile');
  return kept;
}

function wantedOf(
  platform: Platform,
  model: string | URL,
  options: DownloadOptions,
): StoredRequest['model'] {
  const refuse = (): never => {
    throw invalidOption('model', "a name ('base', 'owner/name') or the URL of a model file", model);
  };
  if (typeof model === 'string' && isModelName(model)) {
    return model === embeddedName ? refuse() : { name: model };
  }
  if (typeof model !== 'string' && !(model instanceof URL)) return refuse();
  refuseHubOptions(options);
  let url: string | undefined;
  try {
    url = platform.urlOf(model);
    if (url !== undefined) url = new URL(url).href;
  } catch {
    return refuse();
  }
  return url === undefined ? refuse() : { url };
}

// plan() in a page: a bundle of its own, downloaded on demand.
import type { ModelPlan, ModelSource, PlanOptions } from '../../src/api/types.js';
import type { Platform } from '../../src/platform/platform.js';
import { usualType } from '../../src/sources/model_name.js';
import { openBrowserStore } from '../cache/browser_store.js';
import { roomOfOrigin } from '../cache/store_files.js';
import { openRepository } from '../hub/open_repository.js';
import { findStored } from './find_stored.js';
import { planOn, type PlanEnvironment } from './plan_model.js';
import type { Device } from './verdict.js';

/** Browsers name no more than this, in GiB. */
const mostNamed = 8;

const page: PlanEnvironment = {
  async device(): Promise<Device> {
    const { deviceMemory } = navigator as { readonly deviceMemory?: number };
    const storageBytes = await roomOfOrigin();
    return {
      ...(deviceMemory !== undefined && {
        memoryBytes: deviceMemory * 2 ** 30,
        isLeast: deviceMemory >= mostNamed,
      }),
      ...(storageBytes !== undefined && { storageBytes }),
    };
  },
  find: (request) =>
    findStored(
      request,
      location.href,
      openBrowserStore,
      ({ repository, dtype = usualType, hub, token }, signal) =>
        openRepository(repository, dtype, hub, token, signal),
    ),
};

export const planInPage = (
  platform: Platform,
  source: ModelSource,
  options: PlanOptions,
): Promise<ModelPlan> => planOn(platform, source, options, page);

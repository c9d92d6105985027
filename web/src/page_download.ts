// downloadModel() in a page: a separate bundle, downloaded on demand, so that loading a cached model does not need it.
import { downloadModelOn } from '../tools/cache/download_model.js';
import { loadInspection } from '../tools/inspection/load_inspection.js';
import type { DownloadedModel, DownloadOptions } from './api/types.js';
import { browser } from './browser_platform.js';

export const downloadInPage = (
  model: string | URL,
  options: DownloadOptions,
): Promise<DownloadedModel> =>
  downloadModelOn(
    browser,
    async (platform, opening, own) =>
      (await loadInspection()).readWhole(platform, opening, own, 'stored'),
    model,
    options,
  );

// Models that were downloaded before and are kept in this browser.
import type { KeptModel } from '../../src/cache.js';

const entry = () => import('../../src/cache.js');

/** Whole models and partial downloads, newest first. Nothing where the browser refuses to say. */
export async function keptModels(): Promise<readonly KeptModel[]> {
  try {
    const { listModels } = await entry();
    return await listModels();
  } catch {
    return [];
  }
}

export async function removeKept(model: KeptModel): Promise<void> {
  const { deleteModel } = await entry();
  await deleteModel(model);
}

/** Asks the browser not to give up what is kept when space gets short. To be called from a click. */
export async function keepForGood(): Promise<void> {
  try {
    const { persist } = await entry();
    await persist();
  } catch {
    // It keeps them as long as it likes.
  }
}

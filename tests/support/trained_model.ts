import { describe, test } from '@jest/globals';
import {
  ensureTrainedFolder,
  NoTrainedModel,
  type TrainedName,
} from '../../scripts/trained_model.mjs';

type DescribeWithFolder = (title: string, body: (folder: string) => void) => void;

async function trainedFolder(name: TrainedName): Promise<{ folder?: string; why?: string }> {
  try {
    return { folder: await ensureTrainedFolder({ name }) };
  } catch (error) {
    if (!(error instanceof NoTrainedModel)) throw error;
    return { why: error.message };
  }
}

/**
 * Fetches a checkpoint. Returns a `describe` for suites of it, which gets the checkpoint's folder: they are skipped, with the reason,
 * where it cannot be fetched.
 */
export async function describerWithTrained(name: TrainedName): Promise<DescribeWithFolder> {
  const { folder, why = '' } = await trainedFolder(name);
  if (folder !== undefined) {
    return (title, body) => describe(title, () => body(folder));
  }
  return (title) => {
    console.warn(`Skipped, for want of trained weights: ${title}\n${why}`);
    const skipped = test.skip;
    describe(title, () => {
      skipped('needs trained weights', () => undefined);
    });
  };
}

/** A `describe` for suites of tiny.en. */
export const describeWithTrained = await describerWithTrained('tiny.en');

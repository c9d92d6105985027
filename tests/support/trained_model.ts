import { describe, test } from '@jest/globals';
import { ensureTrainedFolder, NoTrainedModel } from '../../scripts/trained_model.mjs';

async function trainedFolder(): Promise<{ folder?: string; why?: string }> {
  try {
    return { folder: await ensureTrainedFolder() };
  } catch (error) {
    if (!(error instanceof NoTrainedModel)) throw error;
    return { why: error.message };
  }
}

/** The checkpoint of tiny.en, or why it cannot be had. */
const trained = await trainedFolder();

/** A `describe` for suites of trained weights: it skips, and says why, where they cannot be fetched. */
export function describeWithTrained(name: string, body: (folder: string) => void): void {
  const { folder, why = '' } = trained;
  if (folder !== undefined) {
    describe(name, () => body(folder));
    return;
  }
  console.warn(`Skipped, for want of trained weights: ${name}\n${why}`);
  const skipped = test.skip;
  describe(name, () => {
    skipped('needs trained weights', () => undefined);
  });
}

import type { PhaseProgress } from '../../src/api/overall_progress.js';
import type { ConvertOptions } from '../../src/api/types.js';
import { convertSource } from '../convert/convert_source.js';
import { folderOfFiles } from '../convert/folder_of_files.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { urlFolder } from '../../src/sources/url_folder.js';
import type { FilesModule } from '../files/module.js';
import type { ConversionStep } from '../../src/protocol/files.js';

/** Converts step by step. To stop it, end the module. */
export async function convertSteps(
  module: FilesModule,
  source: string | readonly Blob[],
  options: ConvertOptions,
  give: (step: ConversionStep) => Promise<void>,
): Promise<ConversionStep> {
  const folder =
    typeof source === 'string'
      ? await urlFolder(new URL(source), undefined)
      : folderOfFiles(source);
  const { signal } = new AbortController();
  // The bytes are the module's, which goes on with them.
  const write = (bytes: Uint8Array): Promise<void> => give({ bytes: bytes.slice() });
  let told = Promise.resolve();
  const onProgress = (progress: PhaseProgress): void => {
    // After a failure no further step is asked for.
    told = told.then(() => give({ progress })).catch(() => undefined);
  };
  const to = { create: () => Promise.resolve(write), name: 'stream' };
  const result = await convertSource(
    module,
    folder,
    to,
    { ...options, onProgress },
    new YieldController(signal),
  );
  await told;
  return { result };
}

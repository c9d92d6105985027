// A log-mel spectrogram of samples alone, by the same code that computes a Whisper's.
import { windowLogMel, wholeLogMel } from '../../src/engine/mel.js';
import type { FilesCalls } from '../../src/protocol/files.js';
import { unwrap } from '../../src/wasm/emscripten_module.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { FilesModule } from '../files/module.js';

export async function computeLogMel(
  module: FilesModule,
  { samples, mode, nMels, filterbank }: FilesCalls['logMel']['request'],
  yielder: YieldController,
): Promise<FilesCalls['logMel']['answer']> {
  const core = new module.LogMel();
  try {
    if (filterbank) {
      const { buffer, byteOffset, byteLength } = filterbank;
      const window = core.inputWindow(byteLength);
      // One that is too short means out of memory, which create() then reports.
      window.set(new Uint8Array(buffer, byteOffset, byteLength).subarray(0, window.length));
    }
    unwrap(core.create(nMels, filterbank?.byteLength ?? 0));
    return mode === 'whole'
      ? await wholeLogMel(core, samples, yielder)
      : windowLogMel(core, samples);
  } finally {
    core.delete();
  }
}

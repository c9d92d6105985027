// A file composed from its parts: model_composer.h tells the order of calls.
import { unwrap } from '../../src/wasm/emscripten_module.js';
import { pushThroughWindow } from '../../src/wasm/windows.js';
import { wrongState } from '../../src/api/errors.js';
import type { Handlers } from '../../src/worker/module_host.js';
import type { Composer } from '../files/files.mjs';
import { modelDescription } from './model_description.js';
import type { FilesModule } from '../files/module.js';
import { writeText } from '../files/text_window.js';
import type { FilesCalls, PlannedPart, WritePass } from '../../src/protocol/files.js';

type ComposeCalls = Pick<
  Handlers<FilesCalls, never>,
  'planWrite' | 'beginPass' | 'beginPart' | 'pushPart' | 'endPart' | 'endPass'
>;

export function composeHandlers(opened: () => FilesModule): ComposeCalls {
  let composer: Composer | undefined;
  const composing = (): Composer => {
    if (!composer) throw wrongState('No file is being written.', 'files');
    return composer;
  };
  const drained = (): Uint8Array => {
    const bytes = composing().output().slice();
    composing().consumeOutput();
    return bytes;
  };
  return {
    planWrite: ({ model }) => {
      composer?.delete();
      composer = new (opened().Composer)();
      writeText(composer, new TextEncoder().encode(modelDescription(model)), 'description');
      unwrap(composer.plan());
      const passes: WritePass[] = [
        ...(composer.needsScanning() ? (['scan'] as const) : []),
        ...(composer.needsMeasuring() ? (['measure'] as const) : []),
        'write',
      ];
      return { parts: JSON.parse(composer.parts()) as PlannedPart[], passes };
    },
    beginPass: ({ pass }) => {
      unwrap(composing().begin(opened().ComposerPass[pass]));
      return drained();
    },
    beginPart: ({ isFloats }) => {
      unwrap(composing().beginPart(isFloats));
      return undefined;
    },
    pushPart: async ({ bytes }, { yielder }) => {
      const target = composing();
      const pieces: Uint8Array[] = [];
      const push = (count: number): string => {
        const error = target.push(count);
        pieces.push(drained());
        return error;
      };
      await pushThroughWindow(target, bytes, push, yielder);
      return pieces;
    },
    endPart: () => {
      unwrap(composing().finishPart());
      return drained();
    },
    endPass: () => {
      unwrap(composing().finish());
      return { bytes: drained(), warnings: JSON.parse(composing().warnings()) as string[] };
    },
  };
}

// Loads the code that writes models from their parts; a page downloads it on demand.
import { importAgain } from '../../src/platform/import_again.js';
import type * as Writing from './entry.js';

export const loadWriting: () => Promise<typeof Writing> = /* @__PURE__ */ importAgain(
  () => import('./entry.js'),
);

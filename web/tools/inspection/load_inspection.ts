// Loads the code for inspection, which pages download on demand.
import { importAgain } from '../../src/platform/import_again.js';
import type * as Inspecting from './entry.js';

export const loadInspection: () => Promise<typeof Inspecting> = /* @__PURE__ */ importAgain(
  () => import('./entry.js'),
);

// Loads the code for inspection, which pages download on demand.
import type * as Inspecting from './entry.js';

export const loadInspection = (): Promise<typeof Inspecting> => import('./entry.js');

// The way to the code that says what is in files, which a page downloads when it is wanted.
import type * as Inspecting from './entry.js';

export const loadInspection = (): Promise<typeof Inspecting> => import('./entry.js');

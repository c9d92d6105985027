// Loads the code that writes models from their parts; a page downloads it on demand.
import type * as Writing from './entry.js';

export const loadWriting = (): Promise<typeof Writing> => import('./entry.js');

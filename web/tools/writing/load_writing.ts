// The way to the code that writes models from their parts, which a page downloads when it is wanted.
import type * as Writing from './entry.js';

export const loadWriting = (): Promise<typeof Writing> => import('./entry.js');

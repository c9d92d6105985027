// A garbage collection at a known moment, for tests of what is held.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** What a `WeakRef` has given stays until the turn of the event loop ends. */
export const collectGarbage = runInNewContext('gc') as () => void;

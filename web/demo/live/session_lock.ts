// Says to other tabs that a session still goes on, so that they do not offer it as interrupted. Ends with the page.
import { storePrefix } from './checkpoint.js';

/** Absent where a page is not served securely. */
const lockManager = (): LockManager | undefined =>
  (navigator as Partial<Pick<Navigator, 'locks'>>).locks;

const lockName = (id: string): string => `${storePrefix}${id}`;

export const newSessionId = (began: number): string =>
  `${began}-${Math.floor(Math.random() * 2 ** 32).toString(36)}`;

export class SessionLock {
  #release = (): void => undefined;

  constructor(id: string) {
    const released = new Promise<void>((done) => (this.#release = done));
    lockManager()
      ?.request(lockName(id), () => released)
      .catch(() => undefined);
  }

  release(): void {
    this.#release();
  }
}

/** Those of the sessions that no tab goes on with. */
export async function abandoned(ids: readonly string[]): Promise<readonly string[]> {
  try {
    const { held = [] } = (await lockManager()?.query()) ?? {};
    const names = new Set(held.map(({ name }) => name));
    return ids.filter((id) => !names.has(lockName(id)));
  } catch {
    return ids;
  }
}

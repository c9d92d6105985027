/**
 * Waits until no other tab works on what has this name, and keeps them waiting until this worker ends. Answers at once where there
 * are no Web Locks: the file system's own locks then do what they can.
 */
export function holdLock(name: string): Promise<void> {
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  if (!locks) return Promise.resolve();
  return new Promise((held) => {
    locks
      .request(lockName(name), () => {
        held();
        return new Promise<never>(() => undefined);
      })
      // Refused, as to a page without an origin.
      .catch(() => held());
  });
}

/** Whether another tab is working on it. */
export async function isLocked(name: string): Promise<boolean> {
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  if (!locks) return false;
  try {
    return await locks.request(lockName(name), { ifAvailable: true }, (lock) => lock === null);
  } catch {
    return false;
  }
}

const lockName = (name: string): string => `susurrus ${name}`;

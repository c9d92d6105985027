// Keeps the screen on while something is under way that its sleep would break.

/** Where the browser cannot, or the battery is low, the screen sleeps as it likes. Answers how to let it sleep again. */
export function keepAwake(): () => void {
  let isOver = false;
  let lock: WakeLockSentinel | undefined;
  const ask = async (): Promise<void> => {
    if (isOver || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      const got = await navigator.wakeLock.request('screen');
      if (isOver) await got.release();
      else lock = got;
    } catch {
      // Refused: there is nothing else to do.
    }
  };
  // The browser takes the lock back when the page is hidden.
  const again = (): void => void ask();
  document.addEventListener('visibilitychange', again);
  void ask();
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', again);
    void lock?.release().catch(() => undefined);
  };
}

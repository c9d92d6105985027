// Amounts of bytes as people read them in messages.

/** "20.0 of 42.8 MB", or "20.0 MB" where nobody knows how much there is. */
export function amountOf(byteCount: number, whole?: number): string {
  const [unit, name] = (whole ?? byteCount) >= 1e6 ? [1e6, 'MB'] : [1e3, 'kB'];
  const shown = (count: number): string => (count / unit).toFixed(1);
  return `${shown(byteCount)}${whole === undefined ? '' : ` of ${shown(whole)}`} ${name}`;
}

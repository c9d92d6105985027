/** Seconds as m:ss.cc, or h:mm:ss.cc from one hour on. */
export function clock(seconds: number): string {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const whole = Math.floor(hundredths / 100);
  const minutes = Math.floor(whole / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  const tail = `${two(whole % 60)}.${two(hundredths % 100)}`;
  return minutes < 60
    ? `${minutes}:${tail}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${tail}`;
}

/** A duration as people say it: 0.4 s, 12 s, 1 min, 3 min 20 s. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  return `${Math.floor(whole / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

/** A count for people: 980, 12.3 k, 4.1 M. */
export function count(number: number): string {
  const units = ['', ' k', ' M', ' G', ' T'];
  let value = number;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toPrecision(3)}${units[unit]}`;
}

/** The size of a download, a file or memory, as shops and browsers say it: 12 kB, 43 MB, 1.6 GB. */
export function size(byteCount: number): string {
  if (byteCount < 999.5e3) return `${Math.max(1, Math.round(byteCount / 1e3))} kB`;
  return byteCount < 999.5e6
    ? `${Math.round(byteCount / 1e6)} MB`
    : `${(byteCount / 1e9).toFixed(1)} GB`;
}

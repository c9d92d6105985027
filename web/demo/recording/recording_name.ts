/** "Recording 2026-11-25 at 16.55.wav": no colon, which Windows and macOS refuse in a file's name. */
export function recordingName(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `Recording ${day} at ${two(now.getHours())}.${two(now.getMinutes())}.wav`;
}

import { strings } from '../strings.js';

/** Without a colon, which no file of Windows has in its name: "Recording at 16.55". */
export function recordingName(now: Date): string {
  const [hours, minutes] = [now.getHours(), now.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return strings.recording.name(`${hours}.${minutes}`);
}

// What a worker cannot be sent, and where in a request it is.
import { describe, SusurrusError } from '../api/errors.js';

/** The error for a request that could not be posted, with the place of what is at fault. */
export function notCloneable(request: unknown, cause: unknown): SusurrusError {
  const { port1, port2 } = new MessageChannel();
  const [subject, value] = culprit(request, (member) => port1.postMessage(member));
  port1.close();
  port2.close();
  const got = describe(value);
  return new SusurrusError(
    'invalid_argument',
    `${subject || 'The request'} is ${got}, which cannot be sent to a worker: ${String(cause)}`,
    { reason: 'option', subject: subject || 'request', expected: 'plain data', got },
    cause,
  );
}

/** The innermost value that cannot be posted by itself; arrays of numbers can, and may be long. */
function culprit(
  value: unknown,
  post: (member: unknown) => void,
  path = '',
  seen = new Set<unknown>(),
): [path: string, value: unknown] {
  if (typeof value !== 'object' || value === null) return [path, value];
  seen.add(value);
  for (const key of Object.keys(value)) {
    let member: unknown;
    try {
      member = Reflect.get(value, key);
      if (!ArrayBuffer.isView(member) && !seen.has(member)) post(member);
    } catch {
      return culprit(member, post, path ? `${path}.${key}` : key, seen);
    }
  }
  return [path, value];
}

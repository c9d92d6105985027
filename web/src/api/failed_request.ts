// Why fetch() rejected, as far as a program can find out.
import { isObject } from './json_object.js';

/** Node says it in the error's cause. Pages get one error for whatever it was, so that they learn nothing of other servers. */
export function whyRequestFailed(error: unknown): string {
  const cause = isObject(error) ? error.cause : undefined;
  if (isObject(cause) && typeof cause.message === 'string' && cause.message !== '') {
    return `the request failed (${cause.message})`;
  }
  if (typeof location === 'undefined') return 'the request failed';
  return (
    'the request failed: nobody answers at this address, or its server does not allow this page to read it ' +
    "(Access-Control-Allow-Origin), or the page's Content-Security-Policy does not list it in connect-src. The browser's console says which"
  );
}

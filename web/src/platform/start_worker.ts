// Workers in a browser, under whatever policy the page has and from whatever origin the package comes.
import { SusurrusError } from '../api/errors.js';

export interface StartedWorker {
  readonly worker: Worker;
  /** Why it did not start or broke off, from the event that it sent. */
  readonly failure: (event: ErrorEvent) => Promise<SusurrusError>;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TypePolicy;
}
interface TypePolicy {
  createScriptURL(url: string): unknown;
}

let policy: TypePolicy | undefined;

/**
 * The address as a script that Trusted Types let through. A page that enforces them lists the policy: `trusted-types susurrus`.
 * Where it is not listed the address stays text, which a default policy of the page's own may still let through.
 */
function trusted(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    policy ??= trustedTypes?.createPolicy('susurrus', { createScriptURL: (url) => url });
  } catch {
    return address;
  }
  return (policy?.createScriptURL(address) ?? address) as string;
}

/** Browsers start workers only from the page's own origin. */
const isElsewhere = ({ origin, protocol }: URL): boolean =>
  /^https?:$/.test(protocol) && origin !== globalThis.origin;

/** Of a sandboxed frame, whose origin is like no other: Chromium starts no module from a Blob there. */
const hasNoOrigin = (): boolean => globalThis.origin === 'null';

/** A module on this origin, of one line that imports the script. */
function importing({ href }: URL): string {
  const line = `import ${JSON.stringify(href)};`;
  return hasNoOrigin()
    ? `data:text/javascript,${encodeURIComponent(line)}`
    : URL.createObjectURL(new Blob([line], { type: 'text/javascript' }));
}

/**
 * Starts a module worker. A script on another origin is imported by a module on this one. Throws SusurrusError where the browser
 * refuses at once; most refusals come later, as an event.
 */
export function startWorker(address: URL): StartedWorker {
  const isImported = isElsewhere(address);
  const violations: SecurityPolicyViolationEvent[] = [];
  const onViolation = (event: SecurityPolicyViolationEvent): void => void violations.push(event);
  addEventListener('securitypolicyviolation', onViolation);
  let own: string | undefined;
  const settle = (): void => {
    removeEventListener('securitypolicyviolation', onViolation);
    if (own?.startsWith('blob:')) URL.revokeObjectURL(own);
  };
  const describe = (problem: string, cause?: unknown): SusurrusError =>
    notStarted(address, isImported, problem, violations, cause);
  try {
    if (isImported) own = importing(address);
    const worker = new Worker(trusted(own ?? address.href), { type: 'module' });
    worker.addEventListener('message', settle, { once: true });
    return {
      worker,
      async failure(event) {
        // The browser reports a violation of the page's policy only after the worker's failure.
        await new Promise((done) => setTimeout(done));
        settle();
        return describe(event.message || 'its script could not be loaded');
      },
    };
  } catch (error) {
    settle();
    throw describe(String(error), error);
  }
}

function notStarted(
  address: URL,
  isImported: boolean,
  problem: string,
  violations: readonly SecurityPolicyViolationEvent[],
  cause: unknown,
): SusurrusError {
  const violation = violations.find(({ disposition }) => disposition === 'enforce');
  const directive = violation?.effectiveDirective;
  const shim = hasNoOrigin() ? 'data:' : 'blob:';
  let advice = '';
  if (directive?.includes('trusted-types') || /TrustedScriptURL/.test(problem)) {
    advice =
      " The page's policy requires Trusted Types: add the policy name, trusted-types susurrus.";
  } else if (directive) {
    const source = isImported ? `${shim} and ${address.origin}` : "'self'";
    advice = ` The page's Content-Security-Policy forbids it: ${directive} must allow ${source}.`;
  } else if (isImported) {
    advice =
      ` It lies on another origin: ${address.origin} must send Access-Control-Allow-Origin, and a Content-Security-Policy` +
      ` must allow ${shim} and that origin in worker-src, and the origin in script-src.`;
  }
  return new SusurrusError(
    'unsupported_environment',
    `The worker ${address.href} did not start or broke off: ${problem.replace(/\.$/, '')}.${advice}`,
    { reason: 'environment', subject: address.href, ...(directive && { got: directive }) },
    cause,
  );
}

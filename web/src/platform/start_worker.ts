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

/** Whether the page is a sandboxed frame with an opaque origin, where Chromium starts no module worker from a Blob. */
const hasNoOrigin = (): boolean => globalThis.origin === 'null';

const importers = new Map<string, string>();

/** Returns the URL of a one-line module on this origin that imports the script. There is one Blob per script, never revoked. */
function importerOf({ href }: URL): string {
  const line = `import ${JSON.stringify(href)};`;
  if (hasNoOrigin()) return `data:text/javascript,${encodeURIComponent(line)}`;
  const importer =
    importers.get(href) ?? URL.createObjectURL(new Blob([line], { type: 'text/javascript' }));
  importers.set(href, importer);
  return importer;
}

/** The last violations of a policy that concern scripts. */
const violations: SecurityPolicyViolationEvent[] = [];
let isWatching = false;

function watchViolations(): void {
  if (isWatching) return;
  isWatching = true;
  addEventListener('securitypolicyviolation', (event) => {
    const { disposition, effectiveDirective } = event;
    if (disposition !== 'enforce' || !/worker|script|trusted/.test(effectiveDirective)) return;
    violations.push(event);
    if (violations.length > 10) violations.shift();
  });
}

/**
 * Starts a module worker. A script on another origin is imported by a module on this one. Throws SusurrusError where the browser
 * refuses at once; most refusals come later, as an event. The script finds `name` as its own.
 */
export function startWorker(address: URL, name?: string): StartedWorker {
  watchViolations();
  const isImported = isElsewhere(address);
  const begun = performance.now();
  const describe = (problem: string, cause?: unknown): SusurrusError => {
    const violation = violations.find(({ timeStamp }) => timeStamp >= begun);
    return notStarted(address, isImported, problem, violation?.effectiveDirective, cause);
  };
  try {
    const script = isImported ? importerOf(address) : address.href;
    const worker = new Worker(trusted(script), {
      type: 'module',
      ...(name !== undefined && { name }),
    });
    return {
      worker,
      async failure({ message }) {
        // The browser reports a violation of the page's policy only after the worker's failure.
        await new Promise((done) => setTimeout(done));
        return describe(message || 'its script could not be loaded');
      },
    };
  } catch (error) {
    throw describe(String(error), error);
  }
}

function notStarted(
  address: URL,
  isImported: boolean,
  problem: string,
  directive: string | undefined,
  cause: unknown,
): SusurrusError {
  const shim = hasNoOrigin() ? 'data:' : 'blob:';
  let advice = '';
  // Chromium's words and Firefox's, both of which throw before they report the violation.
  if (directive?.includes('trusted-types') || /TrustedScriptURL|Sink type/.test(problem)) {
    advice =
      " The page's policy requires Trusted Types: add the policy name, trusted-types susurrus.";
  } else if (directive) {
    const source = isImported ? `${shim} and ${address.origin}` : "'self'";
    advice = ` The page's Content-Security-Policy forbids it: ${directive} must allow ${source}.`;
  } else if (isImported) {
    advice =
      ` It lies on another origin: ${address.origin} must send Access-Control-Allow-Origin, and a Content-Security-Policy` +
      ` must allow ${shim} and that origin in worker-src, and the origin in script-src.`;
  } else if (problem.startsWith('its script')) {
    advice = ' It must lie there and be sent as text/javascript.';
  }
  return new SusurrusError(
    'unsupported_environment',
    `The worker ${address.href} did not start or broke off: ${problem.replace(/\.$/, '')}.${advice}`,
    { reason: 'environment', subject: address.href, ...(directive && { got: directive }) },
    cause,
  );
}

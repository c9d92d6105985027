// Which sentence explains what went wrong with the sound. Knows no page.

export type LiveSource = 'microphone' | 'tab' | 'file';

/** Names of sentences in the page's strings. */
export type Trouble =
  | 'refused'
  | 'noMicrophone'
  | 'microphoneBusy'
  | 'notShared'
  | 'sharedWithoutSound'
  | 'notHere'
  | 'failed';

const namesOfErrors: Readonly<Record<string, Trouble>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'noMicrophone',
  OverconstrainedError: 'noMicrophone',
  DevicesNotFoundError: 'noMicrophone',
  NotReadableError: 'microphoneBusy',
  AbortError: 'microphoneBusy',
  NotSupportedError: 'notHere',
  TypeError: 'notHere',
};

/** What an error says that came instead of the source's sound. */
export function troubleOf(source: LiveSource, error: unknown): Trouble {
  const name = nameOf(error);
  const found = namesOfErrors[name] ?? 'failed';
  if (source === 'microphone') return found;
  if (source === 'file') return 'failed';
  if (found === 'refused') return 'notShared';
  return name === 'NotFoundError' ? 'sharedWithoutSound' : found === 'notHere' ? found : 'failed';
}

/** The name of the error, or of the one below it that the browser threw. */
function nameOf(error: unknown): string {
  let name = '';
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, ++depth) {
    if (namesOfErrors[one.name]) return one.name;
    name ||= one.name;
  }
  return name;
}

/** Below this a microphone sends nothing: rooms are louder. */
const silentPeak = 0.000_1;
/** Seconds of it before the page says so. */
const silentFor = 4;

/** Finds out whether a microphone sends nothing at all: muted, or the wrong one. */
export class NothingHeard {
  #since: number | undefined;

  /** The peak of a block, and the seconds of the session behind it. Answers whether it is time to say so. */
  note(peak: number, seconds: number): boolean {
    if (peak > silentPeak) this.#since = undefined;
    else this.#since ??= seconds;
    return this.#since !== undefined && seconds - this.#since >= silentFor;
  }
}

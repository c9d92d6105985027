// Which key does what while a recording is open, and when a key means something else.

export type PlayerCommand =
  'toggle' | 'back' | 'forward' | 'slower' | 'faster' | 'keys' | 'find' | 'edit' | 'undo' | 'redo';

/** What a key was pressed with, and on. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** Letters that are typed there are text. */
  readonly isInText: boolean;
  /** The space bar presses it, and arrows may move in it. */
  readonly isOnControl: boolean;
}

const characters: Readonly<Record<string, PlayerCommand>> = {
  k: 'toggle',
  j: 'back',
  l: 'forward',
  '<': 'slower',
  '>': 'faster',
  '?': 'keys',
  '/': 'find',
  e: 'edit',
};

/** The command of a key, if it has one. `hasCharacters`: single letters may be used, which some people switch off. */
export function commandOf(press: KeyPress, hasCharacters: boolean): PlayerCommand | undefined {
  if (press.isInText || press.altKey) return undefined;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (press.ctrlKey || press.metaKey) {
    if (key === 'z') return press.shiftKey ? 'redo' : 'undo';
    return key === 'y' && !press.shiftKey ? 'redo' : undefined;
  }
  if (!press.isOnControl) {
    if (key === ' ') return 'toggle';
    if (key === 'ArrowLeft') return 'back';
    if (key === 'ArrowRight') return 'forward';
  }
  return hasCharacters && Object.hasOwn(characters, key) ? characters[key] : undefined;
}

/** Half speed to double speed. */
export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

/** The next speed in a direction; the same at the end. */
export function nextSpeed(speed: number, direction: 1 | -1): number {
  const next =
    direction === 1
      ? speeds.find((one) => one > speed + 0.01)
      : speeds.findLast((one) => one < speed - 0.01);
  return next ?? speed;
}

/** A press in the order of time; what is typed goes into the field that has the focus. */
export interface TypedPress {
  readonly key: string;
  readonly isCommand: boolean;
  readonly isInText: boolean;
  /** Milliseconds. */
  readonly time: number;
}

/** Milliseconds after a letter in which further ones are text, too. */
const pauseInTyping = 1000;

/** Knows the letters of somebody who goes on typing after the field has gone: they are no commands. */
export class TypingWatch {
  #last = -Infinity;

  /** Whether this key was meant for a field. */
  isLeftover({ key, isCommand, isInText, time }: TypedPress): boolean {
    const isLetter = key.length === 1 && !isCommand;
    if (isInText && (isLetter || key === 'Enter' || key === 'Backspace')) this.#last = time;
    // Whoever goes elsewhere by this key means what comes next.
    if (key === 'Tab' || key === 'Escape' || key.startsWith('Arrow')) this.#last = -Infinity;
    if (isInText || !isLetter || time - this.#last >= pauseInTyping) return false;
    this.#last = time;
    return true;
  }

  /** As when a person presses something with a pointer. */
  end(): void {
    this.#last = -Infinity;
  }
}

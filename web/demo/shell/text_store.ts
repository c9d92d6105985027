// Small texts under names, which may be refused at any time: the browser's localStorage, or a map in tests.

export interface TextStore {
  /** All names that begin like this. Throws where storing is refused. */
  names(prefix: string): string[];
  get(name: string): string | null;
  set(name: string, text: string): void;
  remove(name: string): void;
}

/** Every call throws when the browser refuses: settings, a private window, no room left. */
export const pageStore: TextStore = {
  names: (prefix) => Object.keys(localStorage).filter((name) => name.startsWith(prefix)),
  get: (name) => localStorage.getItem(name),
  set: (name, text) => localStorage.setItem(name, text),
  remove: (name) => localStorage.removeItem(name),
};

/** Undefined, too, where the browser refuses to say. */
export function remembered(name: string): string | undefined {
  try {
    return pageStore.get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** For the next visit, if the browser keeps anything. */
export function remember(name: string, text: string): void {
  try {
    pageStore.set(name, text);
  } catch {
    // Then the next visit begins as the first one did.
  }
}

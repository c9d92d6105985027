// Destinations of converted files.

export type Write = (bytes: Uint8Array) => Promise<void>;

/** Ends the file before and begins this one: a name beside the destination, or without one that itself. */
export type CreateFile = (name?: string) => Promise<Write>;

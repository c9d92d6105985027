export function readLinkMap(text: string, sources: readonly string[]): Map<string, string>;

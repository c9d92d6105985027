// GPT-2's printable stand-in for every byte: vocabularies are written with it, since many tokens are not UTF-8.

const isPlain = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const standIns: readonly string[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPlain(byte) ? byte : next++),
  );
})();

/** The text that stands for these bytes. */
export function byteLevelText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += standIns[byte] ?? '';
  return text;
}

/** Literal text, such as a control token's, in the same writing. */
export function byteLevelTextOf(literal: string): string {
  return byteLevelText(new TextEncoder().encode(literal));
}

const byteOf: ReadonlyMap<string, number> = new Map(standIns.map((text, byte) => [text, byte]));

/** The bytes that a text stands for; what is none of this writing, as control tokens of some files, stands for itself. */
export function bytesOfByteLevelText(text: string): Uint8Array {
  const bytes = Array.from(text, (character) => byteOf.get(character));
  return bytes.every((byte) => byte !== undefined)
    ? Uint8Array.from(bytes)
    : new TextEncoder().encode(text);
}

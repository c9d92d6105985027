// Tells texts from recordings, by their first bytes.

/** So many bytes decide. */
export const textHeadBytes = 512;

/** No control characters but white space. */
export const isText = (head: Uint8Array): boolean =>
  head.length > 0 && head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));

/** What it is in a message, if it is no sound. */
export function textKind(head: Uint8Array): 'a text' | 'a web page' | undefined {
  if (!isText(head)) return undefined;
  const begin = String.fromCharCode(...head);
  return /^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body)\b/i.test(begin)
    ? 'a web page'
    : 'a text';
}

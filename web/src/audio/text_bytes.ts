// Tells texts from recordings, by their first bytes.

/** So many bytes decide. */
export const textHeadBytes = 512;

/** The head as text, if it has no control characters but white space: UTF-16 where it begins with that mark, otherwise a character for each byte. */
function textOf(head: Uint8Array): string | undefined {
  const [first, second] = head;
  let text: string;
  if (first === 0xff && second === 0xfe) text = decoded('utf-16le', head);
  else if (first === 0xfe && second === 0xff) text = decoded('utf-16be', head);
  else text = String.fromCharCode(...head);
  // eslint-disable-next-line no-control-regex
  return /^[^\0-\x08\x0e-\x1f\ufffd]+$/.test(text) ? text : undefined;
}

/** A character that the end of the head cuts off is left out; an invalid one becomes U+FFFD. */
const decoded = (encoding: 'utf-16le' | 'utf-16be', head: Uint8Array): string =>
  new TextDecoder(encoding).decode(head, { stream: true });

export const isText = (head: Uint8Array): boolean => textOf(head) !== undefined;

/** What it is in a message, if it is no sound. */
export function textKind(head: Uint8Array): 'a text' | 'a web page' | undefined {
  const text = textOf(head);
  if (text === undefined) return undefined;
  return /^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body)\b/i.test(text)
    ? 'a web page'
    : 'a text';
}

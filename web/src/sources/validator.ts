/**
 * What tells one state of a file on a server from another, byte by byte: its ETag or, where CORS hides that or it is a weak one,
 * its date.
 */
export function validatorOf({ headers }: Response): string | undefined {
  const tag = headers.get('ETag');
  return (tag?.startsWith('W/') ? null : tag) ?? headers.get('Last-Modified') ?? undefined;
}

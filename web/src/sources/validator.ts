/** What tells one state of a file on a server from another: its ETag or, where CORS hides that, its date. */
export function validatorOf({ headers }: Response): string | undefined {
  return headers.get('ETag') ?? headers.get('Last-Modified') ?? undefined;
}

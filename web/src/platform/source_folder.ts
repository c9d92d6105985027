/** The files of a model folder, wherever they are. */
export interface SourceFolder {
  /** For messages. */
  readonly name: string;
  /** Undefined when there is no such file. */
  byteCount(file: string): Promise<number | undefined>;
  /** Bytes [offset, offset + byteCount) in order; fewer only when the file ends before. */
  read(file: string, offset: number, byteCount: number): AsyncIterable<Uint8Array>;
  /** The file of weights, when one was named instead of the folder. */
  readonly weightsFile?: string;
  /** Each read is a request to a server. */
  readonly isRemote?: boolean;
  /** What the server said when it was asked for a file that counts as absent: "HTTP 403, application/xml". */
  refusal?(file: string): string | undefined;
}

/** For a message about a file that is not there. */
export function refusalNote(folder: SourceFolder, file: string): string {
  const refusal = folder.refusal?.(file);
  return refusal === undefined ? '' : ` (the server answered ${refusal})`;
}

/** Some bytes of a file in one piece. */
export async function readRange(
  folder: SourceFolder,
  file: string,
  offset: number,
  byteCount: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(byteCount);
  let at = 0;
  for await (const piece of folder.read(file, offset, byteCount)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes.subarray(0, at);
}

/** By a file's first bytes. A brace may also be the lowest byte of SafeTensors' length, whose upper bytes are zeros. */
export const isJsonText = (first: Uint8Array): boolean =>
  /^\s*\{/.test(new TextDecoder().decode(first)) && !first.subarray(0, 8).includes(0);

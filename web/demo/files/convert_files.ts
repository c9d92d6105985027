import { convertModel } from '../../src/index.js';

/** Another program's model, with the files beside it, as an .apr file. `onPart` gets the part that is done. */
export async function convertFiles(
  files: readonly File[],
  name: string,
  { signal, onPart }: { readonly signal: AbortSignal; readonly onPart: (part: number) => void },
): Promise<{ readonly file: File; readonly warnings: readonly string[] }> {
  const parts: Blob[] = [];
  // A Blob may leave memory, an array does not.
  const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
    write: (bytes) => void parts.push(new Blob([bytes])),
  });
  const { warnings } = await convertModel(files, sink, {
    signal,
    onProgress: ({ phase, fraction }) => {
      if (!signal.aborted && phase === 'convert') onPart(fraction ?? 0);
    },
  });
  signal.throwIfAborted();
  return { file: new File(parts, `${name.replace(/\.[^.]*$/, '')}.apr`), warnings };
}

import { convertModel } from '../../src/files.js';
import type { WeightType } from '../../src/api/generated/dtypes.js';

/** Another program's model, with the files beside it, as an .apr file. `onPart` gets the part that is done. */
export async function convertFiles(
  files: readonly File[],
  name: string,
  {
    dtype,
    signal,
    onPart,
  }: {
    /** Type for the large weights; undefined keeps the file's own. */
    readonly dtype: WeightType | undefined;
    readonly signal: AbortSignal;
    readonly onPart: (part: number) => void;
  },
): Promise<{ readonly file: File; readonly warnings: readonly string[] }> {
  const parts: Blob[] = [];
  // A Blob may leave memory, an array does not.
  const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
    write: (bytes) => void parts.push(new Blob([bytes])),
  });
  const { warnings } = await convertModel(files, sink, {
    ...(dtype && { dtype }),
    signal,
    onProgress: ({ overall }) => {
      if (!signal.aborted) onPart(overall);
    },
  });
  signal.throwIfAborted();
  return { file: new File(parts, `${name.replace(/\.[^.]*$/, '')}.apr`), warnings };
}

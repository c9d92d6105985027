// What a page's program uses, with its type.
import { format, loadModel, setAssets, SusurrusError } from 'susurrus';
import type { ErrorCode, FormatOptions, LoadOptions, Model, Segment, Variant } from 'susurrus';

setAssets({ base: new URL('https://example.com/susurrus/') });

export async function use(file: Blob, signal: AbortSignal): Promise<string> {
  const options: LoadOptions = { signal, variant: 'simd' satisfies Variant };
  const model: Model = await loadModel(file, options);
  for await (const segment of model.transcribe(file, { language: 'auto', timestamps: 'segment' })) {
    const { start, end, text, tokens }: Segment = segment;
    void [start.toFixed(), end.toFixed(), text.trim(), tokens.length];
  }
  const result = await model.transcribe(new Float32Array(16000));
  // @ts-expect-error There is no such option.
  void model.transcribe(file, { beams: 5 });
  model.dispose();
  const written: FormatOptions = { maxLineWidth: 42 };
  return format(result, 'srt', written) + format({ segments: [] }, 'verbose_json');
}

export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof SusurrusError ? error.code : undefined;

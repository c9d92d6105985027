// File names by format, so that no file is written under another format's name.
import { fileEndings } from '../../src/api/generated/formats.js';
import { SusurrusError } from '../../src/api/errors.js';

/** Matches names that files of these formats have. */
export const endingOf = (...formats: readonly (keyof typeof fileEndings)[]): RegExp =>
  new RegExp(
    `\\.(${formats.flatMap((format): readonly string[] => fileEndings[format]).join('|')})$`,
    'i',
  );

/** Endings, of families that nothing here turns into each other. A hub folder and other names say nothing. */
const endings: readonly (readonly [family: string, ending: RegExp])[] = [
  ['Whisper', endingOf('APR2', 'APR1', 'SafeTensors', 'ggml', 'GGUF')],
  ['april', endingOf('april')],
  ['BW2L', endingOf('BW2L')],
  ['TenniS', endingOf('TenniS')],
  ['ONNX', /\.onnx$/i],
];

/** The ending of a name that belongs to a family other than `family`. */
export function otherFamilyOf(name: string, family: string): string | undefined {
  // What several programs write.
  if (/\.bin$/i.test(name)) return undefined;
  for (const [other, ending] of endings) {
    const found = ending.exec(name)?.[0];
    if (found !== undefined) return other === family ? undefined : found;
  }
  return undefined;
}

/** Rejects a destination for a Whisper that is named like something else. */
export function checkWhisperName(name: string): void {
  const ending = otherFamilyOf(name, 'Whisper');
  if (ending === undefined) return;
  throw new SusurrusError(
    'unsupported_feature',
    `${name}: a Whisper is not written as ${ending}.`,
    { reason: 'unsupported', subject: name, expected: '.apr, .safetensors or .ggml', got: ending },
  );
}

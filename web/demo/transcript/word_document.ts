// A transcript as a Word document: a bundle of its own, which is loaded when somebody saves one.
import { Document, HeadingLevel, Packer, Paragraph, TextRun } from 'docx';
import type { IRunOptions } from 'docx';
import { isRightToLeft } from '../../src/writers/direction.js';
import { shortClock } from './short_clock.js';
import type { SpokenParagraph, TextHead } from './text_files.js';

/** Half points, and twentieths of a point. */
const sizes = { text: 23, small: 18 };
const space = { afterName: 20, afterText: 200, lines: 300 };
const grey = '6B6B6B';

/** `language`: that of the text, such as 'de', for the proofing tools. */
export function wordDocument(
  { title, about }: TextHead,
  paragraphs: readonly SpokenParagraph[],
  language: string | undefined,
): Promise<Blob> {
  const spoken = language === undefined ? {} : { language: languageOf(language) };
  return Packer.toBlob(
    new Document({
      title: legal(title),
      creator: 'Susurrus',
      lastModifiedBy: 'Susurrus',
      styles: {
        default: {
          document: {
            run: { font: 'Calibri', size: sizes.text, ...spoken },
            paragraph: { spacing: { line: space.lines } },
          },
        },
      },
      sections: [
        {
          children: [
            line(title, { heading: HeadingLevel.TITLE }),
            line(about, { spacing: { after: 2 * space.afterText } }, { color: grey }),
            ...paragraphs.flatMap(linesOf),
          ],
        },
      ],
    }),
  );
}

/** Who speaks, and when, above what is said. */
function linesOf({ start, speaker, text }: SpokenParagraph): readonly Paragraph[] {
  const direction = directionOf(speaker ?? text);
  const strong: IRunOptions = { bold: true, ...direction.run };
  const name =
    speaker === undefined ? [] : [new TextRun({ text: `${legal(speaker)}  `, ...strong })];
  const time = new TextRun({ text: shortClock(start), color: grey, size: sizes.small });
  const spacing = { after: space.afterName };
  return [
    new Paragraph({
      ...{ children: [...name, time], keepNext: true, spacing },
      ...directionOf(text).paragraph,
    }),
    line(text, { spacing: { after: space.afterText } }),
  ];
}

function line(
  text: string,
  paragraph: Omit<ConstructorParameters<typeof Paragraph>[0] & object, 'children'>,
  run: { readonly color?: string } = {},
): Paragraph {
  const direction = directionOf(text);
  return new Paragraph({
    ...paragraph,
    ...direction.paragraph,
    children: [new TextRun({ text: legal(text), ...run, ...direction.run })],
  });
}

const directionOf = (text: string) =>
  isRightToLeft(text)
    ? { paragraph: { bidirectional: true }, run: { rightToLeft: true } }
    : { paragraph: {}, run: {} };

/** Word has three of them: for scripts that run to the left, for those of East Asia, and for all others. */
function languageOf(language: string) {
  if (/^(?:ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/u.test(language)) return { bidirectional: language };
  return /^(?:ja|ko|yue|zh)\b/u.test(language) ? { eastAsia: language } : { value: language };
}

/** XML has no place for these characters. */
const legal = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- they are what is meant
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu, '');

// Subtitles of format(…, {profile}): hard rules on transcripts of every kind, and where they are parted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { check } from '../../web/src/writers/check_subtitles.js';
import { columnsOf } from '../../web/src/writers/columns.js';
import { format } from '../../web/src/writers/format.js';
import { readSubtitles } from '../../web/src/writers/read_subtitles.js';
import type { SubtitleProfile } from '../../web/src/writers/subtitle_profiles.js';
import type { TranscriptLike } from '../../web/src/writers/transcript.js';
import { projectRoot } from '../support/shared_folder.js';

const widths = { netflix: 42, bbc: 37, plain: 42 };
const profiles: readonly SubtitleProfile[] = ['netflix', 'bbc', 'plain'];

describe('breaks in sentences of six languages', () => {
  const { sentences } = JSON.parse(
    readFileSync(join(projectRoot, 'tests/formats/expected/subtitle_breaks.json'), 'utf8'),
  ) as { sentences: Record<string, string[]> };
  const isSpaced = (language: string): boolean => !['ja', 'zh'].includes(language);

  /** Breaks at the border of a clause or behind punctuation, of a phrase, within a piece that no line holds, and elsewhere. */
  interface Breaks {
    readonly counts: Record<'clause' | 'phrase' | 'forced' | 'other', number>;
    readonly others: string[];
  }

  /** Spoken at 14 columns a second, each word after the other. */
  function spoken(text: string, language: string): TranscriptLike {
    const perCharacter = isSpaced(language) ? 1 / 14 : 1 / 7;
    let end = 1;
    const words = (text.match(isSpaced(language) ? /\s*\S+/gu : /./gsu) ?? []).map((word) => {
      const start = end;
      end += word.length * perCharacter;
      return { word, start, end };
    });
    return { language, segments: [{ start: 1, end, text, words }] };
  }

  function breaksIn(language: string, profile: SubtitleProfile): Breaks {
    const counts = { clause: 0, phrase: 0, forced: 0, other: 0 };
    const others: string[] = [];
    const width = isSpaced(language) ? widths[profile] : 32;
    for (const marked of sentences[language]!) {
      const text = marked.replaceAll(/[|/]/g, '');
      const borders = new Map<number, string>();
      let length = 0;
      for (const each of marked) {
        if (/[|/]/.test(each)) borders.set(length, each);
        else ++length;
      }
      const lines = readSubtitles(format(spoken(text, language), 'srt', { profile })).flatMap(
        (cue) => cue.text,
      );
      let at = 0;
      lines.slice(0, -1).forEach((line, i) => {
        at = text.indexOf(line, at) + line.length;
        const border = borders.get(at);
        const from = Math.max(0, ...[...borders.keys()].filter((each) => each < at));
        const to = Math.min(text.length, ...[...borders.keys()].filter((each) => each > at));
        if (border === '|' || /[,:、，]$/.test(line)) ++counts.clause;
        else if (border === '/') ++counts.phrase;
        else if (columnsOf(text.slice(from, to).trim()) > width) ++counts.forced;
        else {
          ++counts.other;
          others.push(`${line} / ${lines[i + 1]!}`);
        }
      });
    }
    return { counts, others };
  }

  test('there are two hundred', () => {
    expect(Object.values(sentences).flat()).toHaveLength(200);
  });
  for (const profile of profiles) for (const language of Object.keys(sentences)) test(`${language} ${profile}`, () => {
    const b = breaksIn(language, profile);
    process.stderr.write(`${profile} ${language} ${JSON.stringify(b.counts)}\n${profile==='bbc'||profile==='netflix'?b.others.join('\n')+'\n':''}`);
    expect(b.others.length).toBeGreaterThanOrEqual(0);
  });
});
void check;

// The bar that commands draw on a terminal.
import { afterEach, expect, jest, test } from '@jest/globals';
import { ProgressBar } from '../../web/cli/progress_bar.js';

const { isTTY } = process.stderr;

afterEach(() => {
  jest.restoreAllMocks();
  process.stderr.isTTY = isTTY;
});

test('shows how much of the whole call is done, and the time that is left', () => {
  const lines: unknown[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(text) > 0);
  // Each report comes late enough to be drawn.
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  process.stderr.isTTY = true;
  const bar = new ProgressBar('talk.mp3');
  bar.update({ phase: 'decode', loaded: 60, total: 60, fraction: 1, overall: 0.05 });
  bar.update({ phase: 'transcribe', loaded: 30, overall: 0.525, remainingSeconds: 64.2 });
  bar.update({ phase: 'transcribe', loaded: 60, overall: 1 });
  bar.clear();
  const drawn = (full: number, rest: string): string =>
    `\r\x1b[2Ktalk.mp3 ${'█'.repeat(full)}${'░'.repeat(30 - full)} ${rest}`;
  expect(lines).toEqual([
    drawn(2, '5 %'),
    drawn(16, '52 %, 1:05 left'),
    drawn(30, '100 %'),
    '\r\x1b[2K',
  ]);
});

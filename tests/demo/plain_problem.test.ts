// The sentence that the demo page shows for an error.
import { describe, expect, test } from '@jest/globals';
import { SusurrusError, type ErrorCode } from '../../web/src/index.js';
import { plainProblem } from '../../web/demo/files/plain_problem.js';

const audio = (code: ErrorCode, message: string, got?: string): SusurrusError =>
  new SusurrusError(code, message, {
    reason: 'bad_audio',
    subject: 'audio',
    ...(got !== undefined && { got }),
  });

describe('a recording that cannot be read', () => {
  test.each([
    [
      'MP4 with alac',
      /^This browser cannot read Apple Lossless \(ALAC\)\. Convert it to MP3 or WAV/,
    ],
    ['MP4 with dts', /^This browser cannot read dts\. /],
    [undefined, /^This browser cannot read this kind of recording\. Convert it to MP3 or WAV/],
    ['a text', /^This is a text, not a recording or a model\.$/],
    ['a web page', /^This is a web page that was saved in place of the file\./],
  ])('M11: of the kind %p', (got, told) => {
    const undecoded = audio('unsupported_feature', 'There is no decoder for it here.', got);
    expect(plainProblem(undecoded)).toMatch(told);
    const refused = new SusurrusError(
      'source_failed',
      'audio: this is no audio file that the browser can decode',
      { reason: 'source', subject: 'audio', ...(got !== undefined && { got }) },
    );
    expect(plainProblem(refused)).toMatch(told);
    // The file that could not be read may be an M4A.
    expect(plainProblem(refused)).not.toMatch(/M4A/);
  });

  test('M11: a video without sound', () => {
    const error = audio('unsupported_feature', 'This WebM file has no audio track.');
    expect(plainProblem(error)).toMatch(/^This video has no sound/);
  });

  test('M15: no decoder came beyond its beginning, which is no proof of damage; further on it is', () => {
    const from = (seconds: string) =>
      audio('malformed', 'The recording cannot be decoded.', `Decoding error at ${seconds} s`);
    expect(plainProblem(from('0.000'))).toMatch(/^This browser cannot read this recording\./);
    expect(plainProblem(from('10.000'))).toMatch(/^This recording is damaged/);
  });
});

describe('M14: a model that does not come from its server', () => {
  const failed = (problem: string, got?: string): SusurrusError =>
    new SusurrusError('source_failed', `tiny.en: ${problem}`, {
      ...{ reason: 'source', subject: 'tiny.en' },
      ...(got !== undefined && { got }),
    });
  test.each([
    ['nobody answers', failed('the request failed: nobody …', 'TypeError: Failed to fetch')],
    ['the connection was cut', failed('the connection was cut after 3 of 9 bytes', 'no more')],
    ['it ended early', failed('the connection ended early')],
    ['reading failed', failed('reading it failed', 'The engine failed: TypeError: network error')],
  ])('%s', (_what, error) => {
    expect(plainProblem(error)).toMatch(/^The server that has it cannot be reached, or/);
  });

  test.each([
    ['503', /^The server that has it is busy or out of order just now\.$/],
    ['429', /^The server that has it is busy/],
    ['404', /^The server does not give this file \(HTTP 404\)\.$/],
    ['200', /^A web page came in place of the file\./],
  ])('an answer with the status %s', (status, told) => {
    const got = `HTTP ${status}, text/html`;
    expect(plainProblem(failed(`the server answered ${got}`, got))).toMatch(told);
  });

  test('what is no matter of a server has its own message', () => {
    const error = failed('the body of the response has been read already');
    expect(plainProblem(error)).toBe(error.message);
  });
});

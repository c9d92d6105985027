// What the demo page has to do in a browser besides Chromium.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DrivenBrowser } from '../../scripts/browsers/driven_browser.mjs';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { sampleSegments } from './browser_page.js';

/** At hand for every script on the page. */
const tools = `
  const problems = [];
  addEventListener('error', ({ message }) => problems.push(message));
  addEventListener('unhandledrejection', ({ reason }) => problems.push(String(reason)));
  const one = (selector) => document.querySelector(selector);
  const root = document.documentElement;
  const until = async (what, holds) => {
    const latest = performance.now() + ${limit(45_000)};
    while (!holds()) {
      if (performance.now() > latest) {
        const status = one('#status').textContent;
        throw new Error('In vain for ' + what + ': ' + JSON.stringify({ ...root.dataset, status, problems }));
      }
      await new Promise((turn) => setTimeout(turn, 20));
    }
  };
  const settled = (what) => until(what, () => root.dataset.state === 'idle');
  const worked = async (what, begin) => {
    root.dataset.state = 'waiting';
    begin();
    await settled(what);
  };
  const hearSample = () => worked('the sample', () => one('#sample').click());
  const texts = () => Array.from(document.querySelectorAll('#segments .words'), (each) => each.textContent);
  const drop = (...files) => {
    const dataTransfer = new DataTransfer();
    for (const file of files) dataTransfer.items.add(file);
    for (const type of ['dragenter', 'dragover', 'drop']) {
      one('#drop_zone').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  };
  const press = (element, key) =>
    element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await settled('the page');
  if (!one('#first_choice').hidden) await worked('the model', () => one('#first_trial').click());`;

/** On a server of its own, to whose origin the first test is a first visit. */
export function testDemoPage(browser: () => DrivenBrowser, isolated: boolean): void {
  describe(`the demo page, ${isolated ? '' : 'not '}isolated`, () => {
    let server: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      server = await serve({ port: 0, isolated });
    });
    afterAll(() => server.close());

    /** What a script returns on the page, once its model is loaded. */
    async function onPage(script: string): Promise<unknown> {
      const page = await browser().open(server.address);
      try {
        return await page.run(tools + script);
      } finally {
        await page.close();
      }
    }

    test('transcribes on a first visit, whose service worker takes over while the threads of the engine sleep', async () => {
      const found = await onPage(`
        await until('the service worker', () => ['ready', 'none'].includes(root.dataset.offline));
        const { offline } = root.dataset;
        await hearSample();
        return { offline, isIsolated: crossOriginIsolated, texts: texts(), problems };`);
      expect(found).toEqual({
        ...{ offline: 'ready', isIsolated: isolated, texts: sampleSegments, problems: [] },
      });
    });

    test('transcribes its sample, and a recording that is dropped on it', async () => {
      const found = await onPage(`
        await hearSample();
        const sample = texts();
        const wav = await (await fetch('sample.wav')).blob();
        await worked('the dropped recording', () => drop(new File([wav], 'mine.wav')));
        const title = one('#transcript_title').textContent;
        return { sample, dropped: texts(), title, status: one('#status').textContent, problems };`);
      expect(found).toEqual({
        ...{ sample: sampleSegments, dropped: sampleSegments, title: 'mine.wav', problems: [] },
        status: expect.stringMatching(/^Done: 9\.0 s of sound in /),
      });
    });

    test('edits what was heard, undoes it, and finds a word', async () => {
      const found = await onPage(`
        await hearSample();
        press(one('.segment'), 'F2');
        const field = one('.segment-field');
        field.value = field.value.replace('one four', 'fourteen');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        press(field, 'Enter');
        const edited = texts();
        one('#undo').click();
        const undone = texts();
        one('#find').click();
        one('#find_text').value = 'five';
        one('#find_text').dispatchEvent(new Event('input', { bubbles: true }));
        await until('what is found', () => one('#find_count').textContent !== '');
        return { edited, undone, count: one('#find_count').textContent, problems };`);
      expect(found).toEqual({
        edited: ['three fourteen', ...sampleSegments.slice(1)],
        undone: sampleSegments,
        count: '1 of 2',
        problems: [],
      });
    });

    test('hears two recordings one after the other, and saves the text of the one that is chosen', async () => {
      const found = await onPage(`
        const saved = [];
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          if (blob.type === 'text/plain') saved.push(blob);
          return create.call(URL, blob);
        };
        HTMLAnchorElement.prototype.click = () => undefined;
        const wav = await (await fetch('sample.wav')).blob();
        await worked('both', () => drop(new File([wav], 'first.wav'), new File([wav], 'second.wav')));
        const states = Array.from(document.querySelectorAll('.queue-row'), ({ dataset }) => dataset.state);
        one('.queue-name').click();
        const title = one('#transcript_title').textContent;
        one('#save').click();
        one('#save_menu [data-format="txt"]').click();
        await until('what is saved', () => saved.length > 0);
        return { states, title, saved: await Promise.all(saved.map((blob) => blob.text())), problems };`);
      expect(found).toEqual({
        ...{ states: ['done', 'done'], title: 'first.wav', problems: [] },
        saved: [sampleSegments.map((text) => `${text}\n`).join('')],
      });
    });

    test('keeps a transcript for the next visit, deletes it, and takes that back', async () => {
      await onPage(`
        const wav = await (await fetch('sample.wav')).blob();
        await worked('the recording', () => drop(new File([wav], 'kept.wav')));
        await until('what is kept', () => one('.history-open')?.textContent.includes('kept.wav'));`);
      const found = await onPage(`
        const row = () => Array.from(document.querySelectorAll('.history-item')).find((each) =>
          each.textContent.includes('kept.wav'));
        await until('the list', row);
        row().querySelector('.history-open').click();
        await until('its text', () => one('#transcript_title').textContent === 'kept.wav');
        const opened = texts();
        row().querySelector('.history-delete').click();
        await until('the deletion', () => row().classList.contains('deleted'));
        row().querySelector('.history-deleted button').click();
        await until('its return', () => !row().classList.contains('deleted'));
        return { opened, problems };`);
      expect(found).toEqual({ opened: sampleSegments, problems: [] });
    });

    test('says what is wrong with a file, and goes on', async () => {
      const found = await onPage(`
        drop(new File(['<!doctype html><title>Not found</title>'], 'model.apr'));
        await until('the error', () => !one('#error').hidden);
        const message = one('#error_message').textContent;
        await settled('the model from before');
        await hearSample();
        return { message, texts: texts(), problems };`);
      expect(found).toEqual({
        message:
          'This is a web page that was saved in place of the file. Download the file itself and try again.',
        ...{ texts: sampleSegments, problems: [] },
      });
    });

    // The last one: the page keeps the model for the next visit.
    test('uses a model that is dropped on it', async () => {
      const found = await onPage(`
        const bytes = await (await fetch('models/digits.apr')).blob();
        await worked('the model', () => drop(new File([bytes], 'mine.apr')));
        const name = one('#model_name').textContent;
        await hearSample();
        return { name, texts: texts(), problems };`);
      expect(found).toEqual({ name: 'mine.apr', texts: sampleSegments, problems: [] });
    });
  });
}

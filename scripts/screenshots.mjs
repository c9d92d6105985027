// Pictures of the demo page in each of its states, at the widths of a phone and a desk, in light and dark.
//
//   npm run build && node scripts/screenshots.mjs [--folder dist/demo] [--output build/screenshots/page] [STATE...]
//   node scripts/screenshots.mjs --readme      docs/page.png alone: the transcript while its recording plays
//
// CHROMIUM names the browser where it is not /usr/bin/chromium.
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { states } from './screenshots/states.mjs';
import { findTrainedModel } from './find_model.mjs';
import { serve } from './serve_demo.mjs';
import { main, readArguments, root, StepError } from './toolchain/steps.mjs';

const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };
const wait = 120_000;

/** README's picture: the card of the transcript, at twice its size for sharp text. */
async function takeReadmePicture(browser, tools) {
  const options = { viewport: sizes.desk, deviceScaleFactor: 2, colorScheme: 'light' };
  const { context, page } = await open(browser, tools.address, options);
  await states.playing(page, tools);
  const path = join(root, 'docs/page.png');
  await page.locator('#transcript').screenshot({ path });
  await context.close();
  console.log(path);
}

async function open(browser, address, options) {
  const context = await browser.newContext({
    ...options,
    reducedMotion: 'reduce',
    permissions: ['microphone'],
  });
  context.setDefaultTimeout(wait);
  const page = await context.newPage();
  await page.goto(address);
  const rests = 'html[data-state="idle"]';
  await page.waitForSelector(rests, { state: 'attached' });
  // Without a trained model beside the page the ten-word one has to do.
  if (await page.isVisible('#first_trial')) {
    await page.click('#first_trial');
    await page.waitForSelector(`${rests}:has(#first_choice[hidden])`, { state: 'attached' });
  }
  return { context, page };
}

await main(async () => {
  const { values, positionals } = readArguments({
    options: {
      folder: { type: 'string' },
      output: { type: 'string' },
      readme: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !(name in states));
  if (unknown !== undefined) {
    throw new StepError(`No such state: ${unknown}`, `States: ${Object.keys(states).join(', ')}`);
  }
  const folder = resolve(values.folder ?? join(root, 'dist/demo'));
  const output = resolve(values.output ?? join(root, 'build/screenshots/page'));
  if (!values.readme) mkdirSync(output, { recursive: true });
  const model = await findTrainedModel();
  const server = await serve({ folder, port: 0, isolated: true, models: model ? [model] : [] });
  const published = await serve({ folder, port: 0, isolated: true, models: [] });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${join(root, 'web/demo/sentences.wav')}`,
      '--use-fake-ui-for-media-stream',
    ],
  });
  const sound = (name) => readFileSync(join(root, 'web/demo', name));
  const tools = { sound, address: server.address, published: published.address };
  try {
    if (values.readme) return await takeReadmePicture(browser, tools);
    for (const [name, bring] of Object.entries(states)) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      for (const [size, viewport] of Object.entries(sizes)) {
        const { context, page } = await open(browser, server.address, {
          viewport,
          hasTouch: size === 'phone',
          isMobile: size === 'phone',
        });
        await bring(page, tools);
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const path = join(output, `${name}-${size}-${colorScheme}.png`);
          await page.screenshot({ path });
          console.log(path);
        }
        await context.close();
      }
    }
  } finally {
    await browser.close();
    await server.close();
    await published.close();
  }
});

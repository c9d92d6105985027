// The demo page's index.html: its text stands in web/demo/strings.ts and is there before any script runs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { contentSecurityPolicy } from './serve_demo.mjs';
import { root, StepError } from './toolchain/steps.mjs';

/** The strings of the interface, as the page's scripts have them. */
export async function readStrings() {
  const { code } = await esbuild.transform(
    readFileSync(join(root, 'web/demo/strings.ts'), 'utf8'),
    { loader: 'ts', format: 'esm' },
  );
  const address = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const { strings } = await import(address);
  return strings;
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Puts strings where `{{section.name}}` stands; what is between the braces must be there, as text.
 * @type {(template: string, strings: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => string}
 */
export function fillPage(template, strings) {
  return template.replaceAll(/\{\{(\w+)\.(\w+)\}\}/g, (_, section, name) => {
    const text = strings[section]?.[name];
    if (typeof text !== 'string') {
      throw new StepError(
        `web/demo/index.html asks for ${section}.${name}.`,
        'web/demo/strings.ts has no such text.',
      );
    }
    return text.replaceAll(/[&<>"]/g, (letter) => escapes[letter]);
  });
}

/** Writes index.html into `folder`. */
export async function buildPage(folder) {
  const template = readFileSync(join(root, 'web/demo/index.html'), 'utf8')
    // Comments are for editors of the template only.
    .replaceAll(/\s*<!--[\s\S]*?-->/g, '');
  writeFileSync(
    join(folder, 'index.html'),
    fillPage(template, { ...(await readStrings()), site: { policy: contentSecurityPolicy } }),
  );
}

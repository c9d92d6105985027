// What makes the demo page installable and lets it work offline: its manifest, its icons, and a service worker that knows all its files.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from './toolchain/steps.mjs';
import { readStrings } from './build_page.mjs';

const from = (path) => join(root, 'web/demo/offline', path);
const icons = ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png', 'icon-180.png'];
/** Servers change it: scripts/serve_demo.mjs puts its models in. */
const changing = ['models.json'];
/** Kept once they were used: not everybody tells speakers apart, or writes Word files. */
const later = ['models/speakers.apr', 'docx.mjs'];
/**
 * Models are kept by the package, in a place of their own; the detector of speech is part of the page. Dictionaries of Chinese come when they
 * are asked for.
 */
const isLeftOut = (file) =>
  /\.apr$|^script_/.test(file) || later.includes(file) || changing.includes(file);

/** @param {Readonly<Record<string, Readonly<Record<string, unknown>>>>} strings */
function manifestOf({ page }) {
  const icon = (name, size, purpose) => ({
    src: `icons/${name}`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: './',
    name: page.name,
    short_name: page.name,
    description: page.description,
    lang: 'en',
    start_url: './',
    scope: './',
    display: 'standalone',
    background_color: '#f7f6f3',
    theme_color: '#0f6b63',
    categories: ['productivity', 'utilities'],
    icons: [
      icon('icon-192.png', 192, 'any'),
      icon('icon-512.png', 512, 'any'),
      icon('icon-maskable-512.png', 512, 'maskable'),
    ],
    share_target: {
      action: './share-target',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: {
        files: [{ name: 'recordings', accept: ['audio/*', 'video/*', '.opus', '.m4a', '.amr'] }],
      },
    },
  };
}

/** @typedef {Readonly<Record<string, string>>} Digests */

/**
 * The addresses of the files in `folder` and their digests; the version differs where one of them does.
 * @type {(folder: string) => { version: string; files: Digests; later: Digests; changing: readonly string[] }}
 */
export function pageFilesIn(folder) {
  const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const digestsOf = (wanted) =>
    Object.fromEntries(
      names.filter(wanted).map((name) => [name, digestOf(readFileSync(join(folder, name)))]),
    );
  const all = {
    files: digestsOf((name) => !isLeftOut(name) && name !== 'service_worker.js'),
    later: digestsOf((name) => later.includes(name)),
  };
  return { version: digestOf(JSON.stringify(all)).slice(0, 16), ...all, changing };
}

/** Last of all: the page's other files are in `folder`. */
export async function buildOffline(folder) {
  mkdirSync(join(folder, 'icons'), { recursive: true });
  for (const name of icons) copyFileSync(from(`icons/${name}`), join(folder, 'icons', name));
  const manifest = JSON.stringify(manifestOf(await readStrings()), null, 2);
  writeFileSync(join(folder, 'manifest.webmanifest'), `${manifest}\n`);
  await esbuild.build({
    entryPoints: [from('service_worker.ts')],
    outfile: join(folder, 'service_worker.js'),
    bundle: true,
    format: 'iife',
    minify: true,
    target: 'es2022',
    define: { pageFiles: JSON.stringify(pageFilesIn(folder)) },
    logLevel: 'warning',
  });
}

// VitePress's configuration of the site, copied to build/site/.vitepress.
import { readFileSync } from 'node:fs';

const sections = JSON.parse(readFileSync(new URL('../sections.json', import.meta.url), 'utf8'));

/** Anchors of headings as GitHub makes them, which the links in the documents mean. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

export default {
  title: 'Susurrus',
  description: 'Speech recognition that runs inside the web page',
  // Where a server has the site in a folder of its own.
  base: process.env.SITE_BASE ?? '/',
  srcDir: 'pages',
  outDir: 'public',
  markdown: { anchor: { slugify }, toc: { slugify }, headers: { slugify } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Documents come before the reference, which has each name many times.
          searchOptions: { boostDocument: (id) => (id.includes('/reference/') ? 0.2 : 1) },
        },
      },
    },
    outline: [2, 3],
    nav: [{ text: 'Reference', link: '/reference/' }],
    sidebar: [...sections, { text: 'Types and functions', link: '/reference/' }],
  },
};

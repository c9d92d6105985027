// The projects that the package is tried in, each a folder of examples/: how it is built, and what is served or run.
//
// Those that are `quick` use tools of this package's own node_modules and belong to `npm test`; `npm run test:projects` installs
// the others by their lock files.

/** Import maps cannot be files; Parcel writes one. */
const withInlineScripts =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";

/**
 * @type {readonly {
 *   name: string;
 *   script?: string;
 *   quick?: boolean;
 *   needs: string;
 *   served?: string;
 *   policy?: string;
 *   server?: readonly string[];
 *   program?: readonly string[];
 *   workers?: number;
 * }[]}
 *   `script`: what builds it, instead of `build`; `needs`: for the table in docs/bundlers.md; `served`: the folder that a static server gives away; `server`: a command that
 *   serves by itself, on the port in $PORT; `program`: a command that prints the text of the recording that is its first argument, by the model that is its second, and whose last word is the program's file; with
 *   `workers` it takes the model and then recordings, and prints a table (file, worker, seconds, text) in which so many workers have rows.
 */
export const projects = [
  { name: 'vite', quick: true, needs: 'nothing', served: 'dist' },
  { name: 'webpack', quick: true, needs: 'nothing', served: 'public' },
  { name: 'rollup', quick: true, needs: 'a copy of the files', served: 'public' },
  { name: 'esbuild', quick: true, needs: 'a copy of the files', served: 'public' },
  {
    name: 'import-map',
    quick: true,
    needs: 'an import map',
    served: '.',
    policy: withInlineScripts,
  },
  { name: 'node', quick: true, needs: 'nothing', program: ['node', 'main.js'] },
  { name: 'parcel', needs: 'nothing', served: 'dist', policy: withInlineScripts },
  { name: 'next', needs: 'nothing', server: ['next', 'start'] },
  { name: 'next', script: 'build:webpack', needs: 'nothing', server: ['next', 'start'] },
  { name: 'deno', needs: 'nothing', program: ['deno', 'run', '-A', 'main.js'] },
  { name: 'bun', needs: 'nothing', program: ['bun', 'main.js'] },
  { name: 'ray', needs: 'Python 3', program: ['.venv/bin/python', 'main.py'], workers: 2 },
];

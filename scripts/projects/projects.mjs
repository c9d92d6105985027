// npm run test:projects: every project of examples/, built from the packed package, in headless Chromium or as a program.
//
//   node scripts/projects/projects.mjs [NAME...]
//
// NAME is a folder of examples/, or `types`. Prints a table: what each needs, how long it took to install, build and use, and whether it heard the right words.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { buildParts } from '../build.mjs';
import { serve } from '../serve_demo.mjs';
import { isProgram, main, root, run, StepError } from '../toolchain/steps.mjs';
import { ensureTools } from '../toolchain/tools.mjs';
import { checkTypes } from './check_types.mjs';
import { buildProject } from './build_project.mjs';
import { driveExample } from './drive_page.mjs';
import { projects } from './table.mjs';

const sample = join(root, 'web/demo/sample.wav');
const expected = 'three one four one five nine two six five';

async function packPackage() {
  const folder = join(root, 'build/projects');
  mkdirSync(folder, { recursive: true });
  const { output } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    env: { npm_config_loglevel: 'error' },
    what: 'npm pack',
  });
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[')));
  return join(folder, filename);
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const pathOf = (folder) => `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`;

/** Starts a project's own server and lets `work` have its address. */
async function withOwnServer(folder, [command, ...args], work) {
  const port = await freePort();
  const server = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PATH: pathOf(folder), PORT: String(port), NODE_ENV: 'production' },
    stdio: 'ignore',
    detached: true, // so that what it starts ends with it
  });
  const address = `http://localhost:${port}/`;
  try {
    for (let tries = 0; ; ++tries) {
      const answer = await fetch(address).catch(() => undefined);
      if (answer?.ok) break;
      if (tries === 300) throw new StepError(`${command} does not answer on port ${port}.`);
      await new Promise((done) => setTimeout(done, 200));
    }
    return await work(address);
  } finally {
    process.kill(-server.pid);
  }
}

async function heardBy(browser, folder, { served, server, program, policy }) {
  if (program) {
    const [command, ...args] = program;
    const { output } = await run(command, [...args, sample], {
      cwd: folder,
      env: { PATH: pathOf(folder), NO_COLOR: '1' },
    });
    return [output.trim()];
  }
  const drive = async (address) => {
    const { text, threads, problems } = await driveExample(browser, address, sample);
    return problems.length > 0 ? [...problems, text] : [text, threads];
  };
  if (server) return withOwnServer(folder, server, drive);
  const headers = policy === undefined ? {} : { 'Content-Security-Policy': policy };
  const isolated = await serve({ folder: join(folder, served), port: 0, isolated: true, headers });
  try {
    return await drive(isolated.address);
  } finally {
    await isolated.close();
  }
}

const seconds = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

if (isProgram(import.meta)) {
  await main(async () => {
    const names = process.argv.slice(2);
    const chosen = projects.filter(({ name }) => names.length === 0 || names.includes(name));
    const withTypes = names.length === 0 || names.includes('types');
    if (chosen.length === 0 && !withTypes) {
      const known = new Set([...projects.map(({ name }) => name), 'types']);
      throw new StepError(`Projects: ${[...known].join(', ')}`);
    }
    await buildParts(['wasm', 'js'], ['chromium']);
    const { chromium: executablePath } = await ensureTools(['chromium']);
    const tarball = await packPackage();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    let failures = 0;
    for (const one of chosen) {
      const title = one.script ? `${one.name} (${one.script})` : one.name;
      try {
        let begun = performance.now();
        const folder = await buildProject(one.name, tarball, one.script);
        const built = seconds(begun);
        begun = performance.now();
        const [text, threads] = await heardBy(browser, folder, one);
        const isRight = text === expected;
        if (!isRight) ++failures;
        const figures = `installed and built in ${built}, heard in ${seconds(begun)}`;
        const where = threads === undefined ? '' : `, ${threads} threads`;
        console.log(
          `${isRight ? '✓' : `✗ ${text}`} ${title}: ${figures}${where}; needs ${one.needs}`,
        );
      } catch (error) {
        ++failures;
        console.log(`✗ ${title}: ${error.message}`);
      }
    }
    await browser.close();
    if (withTypes) {
      const begun = performance.now();
      const problems = await checkTypes(tarball);
      failures += problems.length;
      const verdict = problems.length > 0 ? `✗ ${problems.join('\n')}` : '✓';
      console.log(`${verdict} types, publint and attw: ${seconds(begun)}`);
    }
    if (failures > 0) throw new StepError(`${failures} projects failed.`);
  });
}

// What inspect says of a file of a format that is described and not run.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import type { Inspection } from '../../web/src/node_files.js';
import type { builtPackage } from './built_package.js';
import { inPieces } from './embedded_model.js';
import { projectRoot } from './shared_folder.js';

const run = promisify(execFile);

/** The command's --json is tests/formats/expected/NAME.json, and the package's answer the same however the bytes arrive. */
export async function expectDescribed(
  susurrus: Awaited<ReturnType<typeof builtPackage>>,
  path: string,
  name: string,
  bytes: Uint8Array,
): Promise<{ readonly facts: Inspection; readonly expected: Record<string, unknown> }> {
  writeFileSync(path, bytes);
  const expected = JSON.parse(
    readFileSync(join(projectRoot, 'tests/formats/expected', `${name}.json`), 'utf8'),
  ) as Record<string, unknown>;
  const command = [join(projectRoot, 'dist/cli.mjs'), 'inspect', path, '--json'];
  expect(JSON.parse((await run(process.execPath, command)).stdout)).toEqual(expected);
  const facts = await susurrus.inspect(path);
  for (const source of [
    bytes,
    new File([bytes.slice()], 'a'),
    inPieces(bytes, 1),
    inPieces(bytes, 65),
  ]) {
    expect(await susurrus.inspect(source)).toEqual(facts);
  }
  return { facts, expected };
}

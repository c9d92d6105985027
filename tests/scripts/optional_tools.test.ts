// Browsers that set-up installs where it can: with an apt-get of our own on a path where nothing else is.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-apt-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Notes its calls, cannot run twice at a time, and has Firefox alone. */
const apt = `#!/bin/sh
if [ -e "$0.runs" ]; then echo together >> "$0.log"; exit 100; fi
: > "$0.runs"
shift 2
echo "$@" >> "$0.log"
status=0
case "$*" in
  *firefox-esr) : > "\${0%/*}/firefox-esr" ;;
  install*) status=100 ;;
esac
/bin/rm "$0.runs"
exit $status
`;

/** What set-up finds, as this user, and what it says. */
function ensureTools(user: number): { found: Record<string, string>; said: string } {
  const tools = JSON.stringify(join(projectRoot, 'scripts/toolchain/tools.mjs'));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `process.getuid = () => ${user};
       const { ensureTools } = await import(${tools});
       const found = await ensureTools(['firefox', 'webkit']);
       process.stderr.write(JSON.stringify(found));`,
    ],
    { env: { PATH: folder }, encoding: 'utf8', timeout: limit(30_000) },
  );
  return { found: JSON.parse(stderr) as Record<string, string>, said: stdout };
}

const putApt = () => {
  writeFileSync(join(folder, 'apt-get'), apt);
  chmodSync(join(folder, 'apt-get'), 0o755);
};
(process.platform === 'linux' ? describe : describe.skip)('on Linux with apt-get', () => {
  beforeEach(putApt);

  test('root installs them one after the other; one that cannot be had fails nothing', () => {
    const { found, said } = ensureTools(0);
    expect(found).toEqual({ firefox: join(folder, 'firefox-esr') });
    expect(said).not.toContain('no Firefox');
    expect(said).toContain(
      'no WebKitGTK with its WebDriver, what needs it is skipped: apt-get install webkit2gtk-driver xvfb failed with status 100',
    );
    expect(readFileSync(join(folder, 'apt-get.log'), 'utf8').split('\n')).toEqual([
      'update',
      'install -y --no-install-recommends firefox-esr',
      'install -y --no-install-recommends webkit2gtk-driver xvfb',
      '',
    ]);
  });

  test('others are told what root may do', () => {
    const { found, said } = ensureTools(1000);
    expect(found).toEqual({});
    expect(said).toContain(
      'no Firefox, what needs it is skipped: root may: apt-get install firefox-esr',
    );
  });
});

test('without apt-get that is said', () => {
  const { found, said } = ensureTools(0);
  expect(found).toEqual({});
  expect(said).toContain('no Firefox, what needs it is skipped: there is no apt-get here');
});

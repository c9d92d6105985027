// A sound server that plays into nothing: where there is no sound device, no AudioContext of Firefox ever runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPulseAudio } from '../toolchain/find_browsers.mjs';
import { within } from './driven_browser.mjs';

/** Undefined where there is none. */
export const pulseAudioPath = findPulseAudio();

/**
 * Starts one of its own, which nobody hears, even where another one runs. Programs find it by $PULSE_SERVER.
 * @type {() => Promise<{ address: string; close: () => Promise<void> }>}
 */
export async function startSoundServer() {
  if (pulseAudioPath === undefined) throw new Error('There is no PulseAudio on the path.');
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-sound-'));
  const socket = join(folder, 'native');
  const modules = [
    'module-null-sink',
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
  ];
  const program = spawn(
    pulseAudioPath,
    [
      ...['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no'],
      ...modules.flatMap((module) => ['--load', module]),
    ],
    // Its cookie and its state are written there too.
    { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder }, stdio: 'ignore' },
  );
  const ended = once(program, 'exit');
  const close = async () => {
    program.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const listens = async () => {
    while (!existsSync(socket)) {
      if (program.exitCode !== null) throw new Error('PulseAudio ended at once.');
      await sleep(20);
    }
  };
  try {
    await within(20, 'Starting PulseAudio', listens());
  } catch (error) {
    await close();
    throw error;
  }
  return { address: `unix:${socket}`, close };
}

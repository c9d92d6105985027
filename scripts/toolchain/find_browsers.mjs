// Where browsers besides Chromium are, if they are there.
import { existsSync } from 'node:fs';
import { findOnPath } from './steps.mjs';

/** Debian's is called firefox-esr. */
export const findFirefox = () =>
  process.env.FIREFOX ?? findOnPath('firefox-esr') ?? findOnPath('firefox');

/** Gives Firefox a sound device. */
export const findPulseAudio = () => findOnPath('pulseaudio');

/** WebKitGTK's MiniBrowser, its WebDriver and a virtual screen: all three, or undefined. */
export function findWebKit() {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const driver = findOnPath('WebKitWebDriver');
  const screen = findOnPath('Xvfb');
  const browser = ['4.1', '6.0', '4.0']
    .map((version) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`)
    .find((path) => existsSync(path));
  return driver && screen && browser ? { driver, screen, browser } : undefined;
}

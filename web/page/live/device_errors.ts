// Turns the browser's errors for unavailable audio into errors of this package.
import { SusurrusError, type ErrorReason } from '../../src/api/errors.js';

/** What each DOMException means for a microphone. */
const ofMicrophones: Readonly<Record<string, readonly [reason: ErrorReason, message: string]>> = {
  NotAllowedError: [
    'permission',
    'The microphone may not be used: permission was refused, by you, the browser or the system. Allow it in the address bar or in the ' +
      'system’s settings, then try again.',
  ],
  SecurityError: [
    'permission',
    'The microphone may not be used on this page: its Permissions-Policy, or the frame that it is in, forbids it.',
  ],
  NotFoundError: ['no_device', 'There is no microphone. Connect one, then try again.'],
  OverconstrainedError: [
    'no_device',
    'The chosen microphone is not connected. Choose another one, or none in particular.',
  ],
  NotReadableError: [
    'device_busy',
    'The microphone could not be opened: another program may be using it.',
  ],
  AbortError: ['device_busy', 'The microphone could not be opened: the system gave no reason.'],
};

export function microphoneError(error: unknown): SusurrusError {
  const name = error instanceof Error ? error.name : '';
  const [reason, message] = ofMicrophones[name] ?? [
    'source',
    'The microphone could not be opened.',
  ];
  return new SusurrusError(
    'source_failed',
    message,
    { reason, subject: 'microphone', got: String(error) },
    error,
  );
}

/** For getDisplayMedia(). */
export function tabError(error: unknown): SusurrusError {
  const isRefused = error instanceof Error && /^(NotAllowed|Abort|Security)Error$/.test(error.name);
  return new SusurrusError(
    'source_failed',
    isRefused
      ? 'No tab was shared: the question was cancelled, or the browser or the system forbids it.'
      : 'The sound of a tab could not be had.',
    { reason: isRefused ? 'permission' : 'source', subject: 'tab', got: String(error) },
    error,
  );
}

export const nothingShared = (): SusurrusError =>
  new SusurrusError(
    'source_failed',
    'What was shared has no sound. Choose a tab and switch on “Also share tab audio”; Firefox and Safari share pictures only.',
    { reason: 'no_sound', subject: 'tab' },
  );

/** The error for a missing API. */
export const missingHere = (what: string, advice: string): SusurrusError =>
  new SusurrusError('unsupported_environment', `${what} ${advice}`, {
    reason: 'environment',
    subject: 'mediaDevices',
  });

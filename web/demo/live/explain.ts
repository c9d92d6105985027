// Which sentence of the page's strings explains what a session does, or why it ended. Knows no page.
import type { ListenStatus } from '../../page/live.js';

export type SoundChoice = 'microphone' | 'tab' | 'file';

/** Names of sentences in the strings. */
export type Explanation =
  | 'asking'
  | 'askingTab'
  | 'needsClick'
  | 'interrupted'
  | 'muted'
  | 'pressPlay'
  | 'nothingHeard'
  | 'nothingHeardTab'
  | 'refused'
  | 'noMicrophone'
  | 'microphoneBusy'
  | 'notShared'
  | 'sharedWithoutSound'
  | 'notHere'
  | 'deviceLost'
  | 'sharingEnded'
  | 'tooSlow'
  | 'failed';

/** What a person needs to know; undefined when all is well. */
export function explanationOf(
  choice: SoundChoice,
  { state, reason, error }: ListenStatus,
): Explanation | undefined {
  if (state === 'starting') {
    return choice === 'file' ? undefined : choice === 'tab' ? 'askingTab' : 'asking';
  }
  if (error !== undefined && reason === 'failed') return explanationOfError(choice, error);
  if (reason === 'device-lost') return 'deviceLost';
  if (reason === 'source-ended') return choice === 'file' ? undefined : 'sharingEnded';
  if (reason === 'nothing-heard') return choice === 'tab' ? 'nothingHeardTab' : 'nothingHeard';
  if (reason === 'needs-click') return 'needsClick';
  if (reason === 'paused') return 'pressPlay';
  return reason === 'interrupted' || reason === 'muted' ? reason : undefined;
}

export function explanationOfError(choice: SoundChoice, error: unknown): Explanation {
  const reason = reasonOf(error);
  if (reason === 'environment') return 'notHere';
  if (reason === 'limit') return 'tooSlow';
  if (choice === 'microphone') {
    if (reason === 'permission') return 'refused';
    if (reason === 'no_device') return 'noMicrophone';
    if (reason === 'device_busy') return 'microphoneBusy';
  }
  if (choice === 'tab') {
    if (reason === 'permission') return 'notShared';
    if (reason === 'no_sound') return 'sharedWithoutSound';
  }
  return 'failed';
}

function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('details' in error)) return undefined;
  const { details } = error;
  return typeof details === 'object' && details !== null && 'reason' in details
    ? details.reason
    : undefined;
}

// Recordings with people's marks of who speaks when.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { turnsOf } from '../live/turns.mjs';
import {
  halfMinutes,
  renderedConversations,
  voiceFacts,
  voicesFolder,
} from '../speech/conversations.mjs';

/**
 * @typedef {{ start: number; end: number; speaker: string }} SpeakerTurn
 * @typedef {{ set: 'conversations' | 'meetings' | 'joined'; name: string; path: string; truth: SpeakerTurn[]; seconds?: number }} Recording
 *   Meetings are judged for `seconds`, conversations from their first turn to their last.
 */

const truthOf = (path) => turnsOf(readFileSync(path, 'utf8'));

function meeting(name) {
  const path = (ending) => join(voicesFolder, 'meetings', `${name}.${ending}`);
  const [, , , end] = readFileSync(path('uem'), 'utf8').trim().split(/\s+/);
  return { name, path: path('flac'), truth: truthOf(path('rttm')), seconds: Number(end) };
}

/** The shortest of each. */
const quickest = { conversations: ['c07-2'], meetings: ['dev00'], joined: [] };

/** @type {(python: string, isQuick: boolean) => Promise<Recording[]>} */
export async function recordingsOf(python, isQuick) {
  const names = isQuick
    ? quickest
    : {
        conversations: Object.keys(voiceFacts('recipes.json')),
        meetings: halfMinutes(),
        joined: ['joined'],
      };
  const rendered = await renderedConversations(names.conversations, () => python);
  return [
    ...names.meetings.map((name) => ({ set: 'meetings', ...meeting(name) })),
    ...names.joined.map((name) => ({ set: 'joined', ...meeting(name) })),
    ...rendered.map(({ name, wav, rttm }) => ({
      ...{ set: 'conversations', name, path: wav, truth: truthOf(rttm) },
    })),
  ];
}

/**
 * Conversations for about so many minutes, and the half-minutes of meetings.
 * @type {(recordings: readonly Recording[], minutes: number) => Recording[]}
 */
export function withWords(recordings, minutes) {
  let left = minutes * 60;
  return recordings.filter(({ set, truth }) => {
    if (set !== 'conversations') return set === 'meetings';
    const isTaken = left > 0;
    left -= Math.max(...truth.map(({ end }) => end));
    return isTaken;
  });
}

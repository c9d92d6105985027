// Who says what in a transcript: the people with their names and colours, and whose each segment is. Knows no page.
import { assignSpeakers } from '../../src/speakers.js';
import type { Segment } from '../../src/index.js';
import type { HeardSegment } from './transcript_document.js';

type Spoken = Pick<HeardSegment, 'start' | 'end' | 'speaker'>;

/** One of the people who speak. */
export interface Person {
  /** `'S1'`, `'S2'` …, until someone gives a better one. */
  readonly name: string;
  /** Counts from 0, and stays when others get a name or go. */
  readonly colour: number;
}

/** Colours that there are; then they come again. */
export const colourCount = 10;

/** A transcript in which the speakers were told apart. */
export interface ToldApart {
  readonly speakers: readonly { readonly id: string }[];
  readonly segments: readonly HeardSegment[];
}

/** In the order in which they are first heard. */
export const peopleOf = ({ speakers }: ToldApart): readonly Person[] =>
  speakers.map(({ id }, colour) => ({ name: id, colour }));

/** Those of them who say something. */
export function speaking(
  people: readonly Person[],
  segments: readonly HeardSegment[],
): readonly Person[] {
  const names = new Set(segments.map(({ speaker }) => speaker));
  return people.filter(({ name }) => names.has(name));
}

/** A further person, with a name and a colour that no other one has. */
export function another(people: readonly Person[]): Person {
  let number = people.length + 1;
  while (people.some(({ name }) => name === `S${number}`)) ++number;
  return {
    name: `S${number}`,
    colour: Math.max(-1, ...people.map(({ colour }) => colour)) + 1,
  };
}

/** The segment with other speakers; itself where they are as before. */
function withSpeakers(
  segment: HeardSegment,
  nameOf: (name: string | undefined) => string | undefined,
): HeardSegment {
  const isOther = ({ speaker }: Pick<Spoken, 'speaker'>): boolean => nameOf(speaker) !== speaker;
  if (!isOther(segment) && !segment.words?.some(isOther)) return segment;
  const named = <Each extends Pick<Spoken, 'speaker'>>(each: Each): Each => {
    const speaker = nameOf(each.speaker);
    return speaker === undefined ? each : { ...each, speaker };
  };
  return { ...named(segment), ...(segment.words && { words: segment.words.map(named) }) };
}

/** All of the segment is said by this person. */
export const saidBy = (segment: HeardSegment, speaker: string | undefined): HeardSegment =>
  speaker === undefined ? segment : withSpeakers(segment, () => speaker);

/** What one person says gets another name. */
export const renamed = (segment: HeardSegment, from: string, to: string): HeardSegment =>
  withSpeakers(segment, (name) => (name === from ? to : name));

/**
 * Each segment with its speaker, or its parts where several people speak in it. They may have been edited since they were told apart, so
 * that the times count.
 */
export function partsOf(
  segments: readonly HeardSegment[],
  toldApart: ToldApart,
): readonly (readonly HeardSegment[])[] {
  const turns = toldApart.segments
    .flatMap<Spoken>((segment) => (segment.words?.length ? segment.words : [segment]))
    .flatMap(({ start, end, speaker }) => (speaker === undefined ? [] : [{ start, end, speaker }]));
  // Words of a person have no probability, which is not looked at.
  const heard = segments as readonly Segment[];
  const assigned: readonly HeardSegment[] = assignSpeakers(
    { segments: heard },
    { turns, speakers: [] },
  ).segments;
  const hasWords = toldApart.segments.some(({ words }) => words !== undefined);
  let at = 0;
  return segments.map((segment) => {
    const from = at;
    let count = 0;
    do count += assigned[at++]?.words?.length ?? 0;
    while (count < (segment.words?.length ?? 0) && at < assigned.length);
    const parts = assigned.slice(from, at);
    return parts.map(({ words, ...part }) => (hasWords && words ? { ...part, words } : part));
  });
}

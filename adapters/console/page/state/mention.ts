import type { RoomView } from '../../wire.ts';
import type { Setup } from './model.ts';
import { isOpenTo } from './select.ts';

/** A name that the person can mention with `@`. */
export interface Candidate {
  readonly kind: 'agent' | 'person';
  readonly id: string;
  readonly name: string;
  readonly about: string;
}

/** Maximum names that are offered. */
const OFFERED = 20;

/** The word that begins with `@` and ends at the caret. */
export interface MentionQuery {
  readonly from: number;
  readonly text: string;
}

const MENTION_START = /(?:^|[\s(])@([\p{L}\p{N}_.-]*)$/u;

export function mentionAt(text: string, caret: number): MentionQuery | undefined {
  const match = MENTION_START.exec(text.slice(0, caret));
  const word = match?.[1];
  return word === undefined ? undefined : { from: caret - word.length - 1, text: word };
}

/**
 * Returns the names that contain the typed word: the bridge, the agents, and the other people who may read the room.
 * Names that begin with it come first.
 */
export function candidatesFor(setup: Setup, query: string, room?: RoomView, who = ''): readonly Candidate[] {
  const sought = query.toLowerCase();
  const agents = [
    { name: setup.botName, about: `Asks ${setup.defaultAgent}, this room's agent` },
    ...setup.agents.map((agent) => ({ name: agent.name, about: agent.description })),
  ];
  const readers =
    room?.kind === 'room' ? setup.people.filter((one) => one.id !== who && isOpenTo(room, one.id)) : [];
  const all = [
    ...agents.map((agent) => ({ kind: 'agent' as const, id: agent.name, ...agent })),
    ...readers.map(({ id, name, title }) => ({ kind: 'person' as const, id, name, about: title })),
  ];
  const rank = (one: Candidate) => one.name.toLowerCase().indexOf(sought);
  const found = all.filter((one) => rank(one) >= 0);
  return found.sort((a, b) => Math.min(rank(a), 1) - Math.min(rank(b), 1)).slice(0, OFFERED);
}

/** Returns the text with the typed word replaced by the whole mention, and the new position of the caret. */
export function completeMention(text: string, caret: number, query: MentionQuery, name: string) {
  const head = `${text.slice(0, query.from)}@${name} `;
  const tail = text.slice(caret).replace(/^ /, '');
  return { text: head + tail, caret: head.length };
}

/** Returns the words with an `@` before them, in lower case. */
export const mentionsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/@[\p{L}\p{N}_.-]+/gu) ?? [];

/** True if the text mentions an agent or the bridge. */
export function mentionsAgent(setup: Setup, text: string): boolean {
  const names = [setup.botName, ...setup.agents.map((agent) => agent.name)].map((name) => name.toLowerCase());
  return mentionsIn(text).some((word) => names.includes(word.slice(1).replace(/[.-]+$/, '')));
}

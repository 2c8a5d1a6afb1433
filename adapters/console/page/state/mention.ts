import type { Setup } from './model.ts';

/** A name that the person can mention with `@`. */
export interface Candidate {
  readonly name: string;
  readonly about: string;
}

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

/** Returns the names (the bridge and the agents) that contain the typed word. Names that begin with it come first. */
export function candidatesFor(setup: Setup, query: string): readonly Candidate[] {
  const sought = query.toLowerCase();
  const all = [
    { name: setup.botName, about: `Asks ${setup.defaultAgent}, this room's agent` },
    ...setup.agents.map((agent) => ({ name: agent.name, about: agent.description })),
  ];
  const rank = (one: Candidate) => one.name.toLowerCase().indexOf(sought);
  return all.filter((one) => rank(one) >= 0).sort((a, b) => Math.min(rank(a), 1) - Math.min(rank(b), 1));
}

/** Returns the text with the typed word replaced by the whole mention, and the new position of the caret. */
export function completeMention(text: string, caret: number, query: MentionQuery, name: string) {
  const head = `${text.slice(0, query.from)}@${name} `;
  const tail = text.slice(caret).replace(/^ /, '');
  return { text: head + tail, caret: head.length };
}

/** True if the text mentions an agent or the bridge. */
export function mentionsAgent(setup: Setup, text: string): boolean {
  const names = [setup.botName, ...setup.agents.map((agent) => agent.name)].map((name) => name.toLowerCase());
  const words = text.toLowerCase().match(/@[\p{L}\p{N}_.-]+/gu) ?? [];
  return words.some((word) => names.includes(word.slice(1).replace(/[.-]+$/, '')));
}

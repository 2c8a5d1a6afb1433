/** Names of rooms and people after changes, and titles of conversations. Pure. */

import type { RoomView } from '../wire.ts';
import type { MessageRecord } from './records.ts';

/** Maximum UTF-16 units of a conversation's title. */
const TITLE_CHARS = 60;

/** Returns the title of a conversation: the first words of the first message of a person, or the name of its file. */
export function openingOf(messages: readonly MessageRecord[]): string | undefined {
  const first = messages.find(({ author }) => author.kind === 'person');
  const line = (first?.text || first?.files[0]?.name || '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  if (line.length <= TITLE_CHARS) return line === '' ? undefined : line;
  const cut = line.slice(0, TITLE_CHARS);
  return `${cut.slice(0, cut.includes(' ') ? cut.lastIndexOf(' ') : TITLE_CHARS).toWellFormed()}…`;
}

/** Returns the room without the person. If the person was its owner, the member who joined first becomes the owner. */
export function withoutPerson({ owner, members, ...room }: RoomView, person: string): RoomView {
  const others = members?.filter((member) => member !== person);
  const next = owner === person ? others?.[0] : owner;
  return { ...room, ...(others && { members: others }), ...(next !== undefined && { owner: next }) };
}

import type { Sent } from '../../bodies.ts';
import type { RoomView } from '../../wire.ts';
import { act } from './acts.ts';
import { withRoom } from './fold.ts';
import { roomsFor } from './select.ts';
import { go } from './session.ts';
import { getState, orToast, update } from './store.ts';

/** Changes a room, or the title of a conversation. Throws if the server refuses it. */
export async function changeRoom(id: string, change: Omit<Sent['/rooms/:id/change'], 'as'>): Promise<void> {
  const room = await act('/rooms/:id/change', change, id);
  update((now) => withRoom(now, room));
}

export const archive = (id: string, archived: boolean): Promise<void> =>
  orToast(() => changeRoom(id, { archived }));

/** Adds a member. Throws if the server refuses it. */
export async function invite(id: string, person: string): Promise<void> {
  const room = await act('/rooms/:id/invite', { person }, id);
  update((now) => withRoom(now, room));
}

export function removeMember(id: string, person: string): Promise<void> {
  return orToast(async () => void (await act('/rooms/:id/remove', { person }, id)));
}

/** Leaves a room. Throws if the server refuses it. */
export async function leave(id: string): Promise<void> {
  await act('/rooms/:id/remove', { person: getState().who }, id);
  const [first] = roomsFor(getState()).rooms.filter((room) => room.id !== id);
  go(first ? { room: first.id } : {});
}

/** Opens a conversation with the agent that has no messages. */
export function converse(agent: string): Promise<void> {
  return orToast(async () => {
    const room = await act('/conversations', { agent });
    update((now) => withRoom(now, room));
    go({ room: room.id });
  });
}

/** Deletes a conversation. Throws if the server refuses it. */
export async function deleteConversation({ id, person, agent }: RoomView): Promise<void> {
  await act('/rooms/:id/delete', {}, id);
  go({ room: `direct~${person}~${agent}` });
}

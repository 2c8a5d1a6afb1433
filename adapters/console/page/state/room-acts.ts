import type { ChangedRoom, RoomView } from '../../wire.ts';
import { api } from '../net/api.ts';
import { me, orToast } from './acts.ts';
import { roomsFor } from './select.ts';
import { go } from './session.ts';
import { dispatch, getState } from './store.ts';

/** Changes a room, or the title of a conversation. Throws if the server refuses it. */
export async function changeRoom(id: string, change: Omit<ChangedRoom, 'as'>): Promise<void> {
  dispatch({ type: 'room-added', room: await api.changeRoom(id, { ...me(), ...change }) });
}

export const archive = (id: string, archived: boolean): Promise<void> =>
  orToast(() => changeRoom(id, { archived }));

/** Adds a member. Throws if the server refuses it. */
export async function invite(id: string, person: string): Promise<void> {
  dispatch({ type: 'room-added', room: await api.invite(id, { ...me(), person }) });
}

export function removeMember(id: string, person: string): Promise<void> {
  return orToast(async () => void (await api.removeMember(id, { ...me(), person })));
}

/** Leaves a room. Throws if the server refuses it. */
export async function leave(id: string): Promise<void> {
  const { as } = me();
  await api.removeMember(id, { as, person: as });
  const [first] = roomsFor(getState()).rooms.filter((room) => room.id !== id);
  go(first ? { room: first.id } : {});
}

/** Opens a conversation with the agent that has no messages. */
export function converse(agent: string): Promise<void> {
  return orToast(async () => {
    const room = await api.converse({ ...me(), agent });
    dispatch({ type: 'room-added', room });
    go({ room: room.id });
  });
}

/** Deletes a conversation. Throws if the server refuses it. */
export async function deleteConversation({ id, person, agent }: RoomView): Promise<void> {
  await api.deleteConversation(id, me());
  go({ room: `direct~${person}~${agent}` });
}

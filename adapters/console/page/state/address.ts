import type { Place } from './model.ts';

/** Returns the address of a room or thread, `#/r/ROOM/t/THREAD`. Each address is an entry in the browser's history. */
export function addressOf(place: Place): string {
  if (!place.room) return '#/';
  const room = `#/r/${encodeURIComponent(place.room)}`;
  return place.thread ? `${room}/t/${encodeURIComponent(place.thread)}` : room;
}

/** Returns the token in the address of a link to confirm, `#/link/TOKEN`. */
export function linkTokenOf(hash: string): string | undefined {
  return /^#\/link\/([\w-]+)$/.exec(hash)?.[1];
}

export function placeOf(hash: string): Place {
  const [, kind, room, under, thread] = hash.replace(/^#/, '').split('/').map(decode);
  if (kind !== 'r' || !room) return {};
  return under === 't' && thread ? { room, thread } : { room };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

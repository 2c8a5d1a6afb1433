import type { Connecting, Place } from './model.ts';

/** Returns the address of a room or thread, `#/r/ROOM/t/THREAD`. Each address is an entry in the browser's history. */
export function addressOf(place: Place): string {
  if (!place.room) return '#/';
  const room = `#/r/${encodeURIComponent(place.room)}`;
  return place.thread ? `${room}/t/${encodeURIComponent(place.thread)}` : room;
}

/** Reads the address of a link to confirm: `#/link/TOKEN` or `#/connect/CHANNEL/QUERY`. */
export function connectingOf(hash: string): Connecting | undefined {
  const token = /^#\/link\/([\w-]+)$/.exec(hash)?.[1];
  if (token !== undefined) return { kind: 'code', token };
  const [, channel, query] = /^#\/connect\/([^/]+)\/([^/]*)$/.exec(hash)?.map(decode) ?? [];
  return channel === undefined || query === undefined ? undefined : { kind: 'proof', channel, query };
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

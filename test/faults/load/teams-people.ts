/** People who ask in Teams. */

import { questionOf } from '../../fakes/history/saying.ts';
import { nextId } from '../../fakes/history/scene.ts';
import { openTeamsScene, type TeamsAsked, type TeamsScene } from '../../fakes/history/teams-scene.ts';
import type { Conversation, FakePerson, FakeTeams } from '../../fakes/teams/index.ts';
import { type Ask, agentFor, around, createThreads, roomsFor } from './people.ts';
import type { Happening, Planned } from './plan.ts';

const MOST_ROOMS = 60;
/**
 * Number of people for each room. There are several, because questions in one person's chat with the app wait for each
 * other.
 */
const PEOPLE_FOR_ROOM = 4;

export function teamsPeople(teams: FakeTeams, events: number): Ask {
  const scene = openTeamsScene({ teams });
  const some = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make);
  const rooms = roomsFor(events / 2, MOST_ROOMS);
  const people = some(rooms * PEOPLE_FOR_ROOM, () => scene.tenant.person());
  // The team's owners have consented that the app reads messages, so that the bridge can look up the last messages.
  const team = scene.tenant.team({ consents: ['ChannelMessage.Read.Group'] });
  const channels = some(rooms, () => team.channel());
  const groups = some(rooms, () => scene.tenant.chat({ consents: ['ChatMessage.Read.Chat'] }));
  const threads = createThreads();
  return (planned) => {
    const by = around(people, planned.person);
    const room = roomOf(planned, by, { channels, groups });
    const follows = room.kind === 'channel' && planned.follows;
    const thread = follows ? threads.newest(room.id, planned.person) : undefined;
    const asked = scene.ask(room, planned.saying, {
      by,
      ...(thread !== undefined && { thread }),
      ...(planned.kind === 'direct' ? agentFor(people, planned.person) : agentFor(channels, planned.room)),
    });
    if (room.kind === 'channel' && thread === undefined) threads.add(room.id, asked.message.id);
    const acting: Acting = { teams, scene, asked, by, planned };
    return { id: asked.id, happens: (what) => happens(acting, what), retries: () => retries(acting) };
  };
}

interface Rooms {
  readonly channels: readonly Conversation[];
  readonly groups: readonly Conversation[];
}

function roomOf({ kind, room }: Planned, by: FakePerson, { channels, groups }: Rooms): Conversation {
  if (kind === 'direct') return by.dm();
  return around(kind === 'group' ? groups : channels, room);
}

interface Acting {
  readonly teams: FakeTeams;
  readonly scene: TeamsScene;
  readonly asked: TeamsAsked;
  readonly by: FakePerson;
  readonly planned: Planned;
}

const acts: Readonly<Record<Happening, (acting: Acting) => void>> = {
  repeat({ teams, asked: { delivery } }) {
    if (delivery !== undefined) void teams.events.again(delivery);
  },
  edit({ teams, by, asked: { message, room }, planned: { saying } }) {
    const { ms = 500, everyMs = 50, chars = 300 } = saying;
    const words = questionOf({ id: nextId(), ms, everyMs, chars });
    by.edits(message, room.kind === 'personal' ? words : `<at>${teams.world.app.name}</at> ${words}`);
  },
  delete: ({ by, asked: { message } }) => void by.deletes(message),
  stop(acting) {
    const { by, asked } = acting;
    if (asked.room.kind === 'personal') by.stops(asked.room);
    else pressed(acting, 'Stop');
  },
};

const happens = (acting: Acting, what: Happening): void => {
  const { deletedAt } = acting.asked.message;
  if (deletedAt === undefined) acts[what](acting);
};

const retries = (acting: Acting): boolean => pressed(acting, 'Retry');

function pressed({ scene, asked, by }: Acting, title: string): boolean {
  const offering = scene
    .replies(asked)
    .find(
      (message) =>
        by.offers(message).includes(title) &&
        JSON.stringify(message.shown.attachments).includes(asked.message.id),
    );
  if (offering === undefined) return false;
  by.presses(offering, title);
  return true;
}

/** People who ask in Slack. */

import { questionOf } from '../../fakes/history/saying.ts';
import { type Asked as InScene, nextId, openScene, type Scene } from '../../fakes/history/scene.ts';
import type { FakeSlack } from '../../fakes/slack/index.ts';
import { type Ask, type Asked, agentFor, around, createThreads, roomsFor } from './people.ts';
import type { Happening, Planned } from './plan.ts';
import { WORKSPACES } from './town.ts';

const PEOPLE = 12;
const MOST_ROOMS = 60;

export function slackPeople(slack: FakeSlack, events: number): Ask {
  const workspaces = Array.from({ length: WORKSPACES }, (_, which) => {
    const scene = openScene({ slack }, which);
    const some = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make);
    const rooms = roomsFor(events / WORKSPACES, MOST_ROOMS);
    return {
      scene,
      people: some(PEOPLE, () => scene.workspace.person()),
      channels: some(rooms, () => scene.room()),
      groups: some(Math.ceil(rooms / 4), () => scene.room({ kind: 'group' })),
      threads: createThreads(),
    };
  });
  return (planned) => {
    const { scene, people, channels, groups, threads } = around(workspaces, planned.workspace);
    const by = around(people, planned.person);
    const places = planned.kind === 'group' ? groups : channels;
    const room = planned.kind === 'direct' ? by.dm() : around(places, planned.room);
    const thread = planned.follows ? threads.newest(room.id, planned.person) : undefined;
    const asked = scene.ask(room, planned.saying, {
      by,
      ...(thread !== undefined && { thread }),
      ...(planned.kind === 'direct' ? agentFor(people, planned.person) : agentFor(places, planned.room)),
    });
    if (thread === undefined) threads.add(room.id, asked.message.ts);
    const acting: Acting = { slack, scene, asked, by, planned };
    return { id: asked.id, happens: (what) => happens(acting, what), retries: () => retries(acting) };
  };
}

interface Acting {
  readonly slack: FakeSlack;
  readonly scene: Scene;
  readonly asked: InScene;
  readonly by: Scene['person'];
  readonly planned: Planned;
}

const acts: Readonly<Record<Happening, (acting: Acting) => void>> = {
  repeat({ slack, asked: { message } }) {
    const copies = slack.deliveries.filter(
      ({ payload }) => (payload.event as { ts?: string } | undefined)?.ts === message.ts,
    );
    for (const { kind, payload } of copies) void slack.events.deliver(kind, payload);
  },
  edit({ by, asked: { message, room }, planned, scene }) {
    const { id, ms, everyMs, chars } = { ...planned.saying, id: nextId() } as const;
    const words = questionOf({ id, ms: ms ?? 500, everyMs: everyMs ?? 50, chars: chars ?? 300 });
    by.edits(message, room.kind === 'im' ? words : `<@${scene.workspace.botUser}> ${words}`);
  },
  delete: ({ by, asked: { message } }) => by.deletes(message),
  stop({ by, asked: { message, room } }) {
    by.stops(room, message.threadTs ?? message.ts);
  },
};

const happens = (acting: Acting, what: Happening): void => {
  const { deletedAt } = acting.asked.message;
  if (deletedAt === undefined) acts[what](acting);
};

const RETRY = 'reply:retry';

function retries({ scene, asked, by }: Acting): ReturnType<Asked['retries']> {
  const offering = scene.replies(asked).find(({ blocks }) => {
    const shown = JSON.stringify(blocks);
    return shown.includes(RETRY) && shown.includes(asked.message.ts);
  });
  if (offering === undefined) return false;
  by.presses(offering, RETRY);
  return true;
}

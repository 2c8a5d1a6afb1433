/** One workspace of a run: asks questions and reads the replies. */

import { setTimeout as pause } from 'node:timers/promises';
import type { PlantedFault } from '../slack/faults.ts';
import type { Channel, FakePerson, FakeWorkspace, Fault, Message } from '../slack/index.ts';
import type { House } from './house.ts';
import { idOf, questionOf, type Saying } from './saying.ts';

const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 90_000;

/**
 * Resolves when the condition is true. Rejects with an error that contains `what`, and what `seen` returns, if that
 * takes too long.
 */
export async function until(
  what: string,
  isSo: () => unknown,
  patienceMs = PATIENCE_MS,
  seen: () => unknown = () => undefined,
): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!isSo()) {
    if (Date.now() > end)
      throw new Error(`It did not come to be that ${what}. ${JSON.stringify(seen()) ?? ''}`);
    await pause(LOOK_EVERY_MS);
  }
}

export interface Asked {
  readonly id: string;
  readonly message: Message;
  readonly room: Channel;
}

export interface Scene {
  readonly workspace: FakeWorkspace;
  readonly person: FakePerson;
  room(options?: Parameters<FakeWorkspace['channel']>[0]): Channel;
  /** Asks a question. By default, its answer has 1,200 characters and arrives within a second. */
  ask(
    room: Channel,
    saying?: Partial<Saying>,
    place?: { readonly thread?: string; readonly agent?: string; readonly by?: FakePerson },
  ): Asked;
  /** Returns the app's messages in the question's thread. */
  replies(asked: Asked): readonly Message[];
  /** Resolves when words of the answer can be read. */
  begun(asked: Asked): Promise<void>;
  plant(fault: Fault): void;
  /** Number of hits of each planted fault. */
  hits(): readonly number[];
}

let asked = 0;

/** Returns an id that is unique in this process. */
export function nextId(): string {
  asked += 1;
  return idOf(asked);
}

export function openScene(house: Pick<House, 'slack'>, which: number): Scene {
  const { slack } = house;
  const workspace = slack.workspace(which);
  const person = workspace.person();
  const planted: PlantedFault[] = [];
  const replies: Scene['replies'] = ({ room, message }) =>
    slack
      .thread(room.id, message.threadTs ?? message.ts)
      .filter(({ app, onlyFor }) => app && onlyFor === undefined);
  return {
    workspace,
    person,
    room: (options) => workspace.channel(options),
    ask(room, saying = {}, { thread, agent, by = person } = {}) {
      const id = nextId();
      const words = questionOf({ id, ms: 1_000, everyMs: 100, chars: 1_200, ...saying });
      const text = agent === undefined ? words : `${agent}: ${words}`;
      const says = room.kind === 'im' ? by.says : by.mentions;
      return { id, room, message: says(room, text, thread === undefined ? {} : { thread }) };
    },
    replies,
    begun: ({ id, room }) =>
      until(`words of ${id} can be read`, () =>
        slack.log.calls.some(
          ({ channel, args, answer }) =>
            channel === room.id && answer?.ok === true && JSON.stringify(args).includes(`canary=${id}`),
        ),
      ),
    plant: (fault) => void planted.push(slack.plant({ team: workspace.id, ...fault })),
    hits: () => planted.map(({ hits }) => hits),
  };
}

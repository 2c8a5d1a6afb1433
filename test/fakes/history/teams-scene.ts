/** The organization of a run through Teams: its questions and its visible replies. */

import type { Fault, PlantedFault } from '../teams/faults.ts';
import type { Conversation, FakePerson, FakeTeam, FakeTenant, Heard, Message } from '../teams/index.ts';
import { questionOf, type Saying } from './saying.ts';
import { nextId, until } from './scene.ts';
import type { TeamsHouse } from './teams-house.ts';

export interface TeamsAsked extends Heard {
  readonly id: string;
  readonly room: Conversation;
}

export interface TeamsScene {
  readonly tenant: FakeTenant;
  readonly team: FakeTeam;
  readonly person: FakePerson;
  /** Asks for an answer, by default of 1,200 characters within a second. Mentions the app, except in personal chats. */
  ask(
    room: Conversation,
    saying?: Partial<Saying>,
    place?: { readonly thread?: string; readonly agent?: string; readonly by?: FakePerson },
  ): TeamsAsked;
  /** Returns the app's messages after the question, in its thread. */
  replies(asked: TeamsAsked): readonly Message[];
  /** Resolves when text of the answer is visible. */
  begun(asked: TeamsAsked): Promise<void>;
  plant(fault: Fault): void;
  /** Number of hits of each planted fault. */
  hits(): readonly number[];
}

export function openTeamsScene(house: Pick<TeamsHouse, 'teams'>): TeamsScene {
  const { teams } = house;
  const tenant = teams.tenant();
  const person = tenant.person();
  const planted: PlantedFault[] = [];
  return {
    tenant,
    person,
    team: tenant.team(),
    ask(room, saying = {}, { thread, agent, by = person } = {}) {
      const id = nextId();
      const words = questionOf({ id, ms: 1_000, everyMs: 100, chars: 1_200, ...saying });
      const text = agent === undefined ? words : `${agent}: ${words}`;
      const says = room.kind === 'personal' ? by.says : by.mentions;
      return { id, room, ...says(room, text, thread === undefined ? {} : { thread }) };
    },
    replies: ({ room, message }) =>
      teams
        .messages(room)
        .filter(
          ({ person: by, onlyFor, deletedAt }) =>
            by === undefined && onlyFor === undefined && deletedAt === undefined,
        )
        .filter(({ id, root }) => Number(id) > Number(message.id) && isThread(room, root, message)),
    begun: ({ id, room }) =>
      until(`words of ${id} can be read`, () =>
        teams
          .messages(room)
          .some(({ shown, person: by }) => by === undefined && shown.text.includes(`canary=${id}`)),
      ),
    plant: (fault) => void planted.push(teams.plant({ tenant: tenant.id, ...fault })),
    hits: () => planted.map(({ hits }) => hits),
  };
}

const isThread = ({ kind }: Conversation, root: string, message: Message): boolean =>
  kind !== 'channel' || root === message.root;

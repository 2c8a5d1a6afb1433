/** A tenant as a test holds it: its places, its people, and what they do. */

import type { Server } from '../parts.ts';
import type { Json } from '../read.ts';
import type { Conversation, Person, Team, Tenant } from '../shapes.ts';
import {
  addChannel,
  addChat,
  addPerson,
  addTeam,
  type ChannelOptions,
  type ChatOptions,
  type PersonOptions,
  personalChat,
  type TeamOptions,
} from '../world.ts';
import type { Delivered, Scene } from './activity.ts';
import { type Heard, type SayOptions, say } from './say.ts';

export interface FakePerson extends Person {
  /** The chat of the person and the app; the app is installed for the person. */
  dm(): Conversation;
  says(conversation: Conversation, text: string, options?: SayOptions): Heard;
  /** The same with the app's name before it. */
  mentions(conversation: Conversation, text: string, options?: SayOptions): Heard;
}

export interface FakeTeam extends Team {
  readonly general: Conversation;
  channel(options?: ChannelOptions): Conversation;
}

export interface FakeTenant {
  readonly state: Tenant;
  readonly id: string;
  person(options?: PersonOptions): FakePerson;
  /** By directory id. */
  known(aadObjectId: string): FakePerson;
  team(options?: TeamOptions): FakeTeam;
  chat(options?: ChatOptions): Conversation;
}

export function tenantHandle(
  server: Server,
  tenant: Tenant,
  deliver: (activity: Json) => Delivered,
): FakeTenant {
  const scene: Scene = { server, tenant, deliver };
  const { world } = server;
  return {
    state: tenant,
    id: tenant.id,
    person: (options) => personHandle(scene, addPerson(world, tenant, options)),
    known: (id) => {
      const person = tenant.people.get(id);
      if (person === undefined) throw new Error(`The tenant has no person ${id}.`);
      return personHandle(scene, person);
    },
    team: (options) => {
      const team = addTeam(world, tenant, options);
      const general = tenant.conversations.get(team.id);
      if (general === undefined) throw new Error('A team without its General channel.');
      return Object.assign(team, {
        general,
        channel: (given?: ChannelOptions) => addChannel(world, tenant, team, given),
      });
    },
    chat: (options) => addChat(world, tenant, options),
  };
}

function personHandle(scene: Scene, person: Person): FakePerson {
  const { app } = scene.server.world;
  return {
    ...person,
    dm: () => personalChat(scene.server.world, scene.tenant, person),
    says: (conversation, text, options) => say(scene, person, conversation, { ...options, text }),
    mentions: (conversation, text, options) =>
      say(scene, person, conversation, { ...options, text: `<at>${app.name}</at> ${text}` }),
  };
}

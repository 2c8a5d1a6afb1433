/** The interface of a tenant for tests: its teams, chats and people. */

import type { Delivery } from '../deliver/deliver.ts';
import type { Server } from '../parts.ts';
import type { Json } from '../read.ts';
import type { Conversation, Team, Tenant } from '../shapes.ts';
import {
  addChannel,
  addChat,
  addPerson,
  addTeam,
  type ChannelOptions,
  type ChatOptions,
  type PersonOptions,
  type TeamOptions,
} from '../world.ts';
import type { Scene } from './activity.ts';
import { type FakePerson, personHandle } from './person.ts';

export interface FakeTeam extends Team {
  readonly general: Conversation;
  channel(options?: ChannelOptions): Conversation;
}

export interface FakeTenant {
  readonly state: Tenant;
  readonly id: string;
  person(options?: PersonOptions): FakePerson;
  /** Finds a person by directory id. */
  known(aadObjectId: string): FakePerson;
  team(options?: TeamOptions): FakeTeam;
  chat(options?: ChatOptions): Conversation;
}

export function tenantHandle(
  server: Server,
  tenant: Tenant,
  deliver: (activity: Json) => Delivery,
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

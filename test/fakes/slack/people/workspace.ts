/** A workspace as a test holds it: its rooms, its people, and what they do. */

import type { Channel, Json, Message, Person, Workspace } from '../shapes.ts';
import { addChannel, addPerson, type ChannelOptions, directMessage, type PersonOptions } from '../world.ts';
import { edit, erase, pressStop, renameSession, type SayOptions, type Scene, say } from './messages.ts';

export interface FakePerson extends Person {
  /** The room where the person and the app talk alone. */
  dm(): Channel;
  says(channel: Channel | string, text: string, options?: SayOptions): Message;
  /** The same with the app's name before it. */
  mentions(channel: Channel | string, text: string, options?: SayOptions): Message;
  edits(message: Message, text: string): void;
  deletes(message: Message): void;
  /** Presses the native Stop of a thread; answers the streams that it ended. */
  stops(channel: Channel | string, threadTs: string): readonly string[];
  renames(channel: Channel | string, threadTs: string, title: string): void;
  opensHome(tab?: 'home' | 'messages'): void;
}

export interface FakeWorkspace {
  readonly id: string;
  readonly token: string;
  readonly botUser: string;
  readonly botId: string;
  readonly state: Workspace;
  channel(options?: ChannelOptions): Channel;
  person(options?: PersonOptions): FakePerson;
  /** Any event, in its envelope. */
  emit(event: Json, external?: boolean): void;
}

export function workspaceHandle(scene: Scene): FakeWorkspace {
  const { world, workspace } = scene;
  return {
    id: workspace.id,
    get token() {
      return workspace.token;
    },
    botUser: workspace.botUser,
    botId: workspace.botId,
    state: workspace,
    channel: (options) => addChannel(world, workspace, options),
    person: (options) => personHandle(scene, addPerson(world, workspace, options)),
    emit: (event, external = false) => world.emit({ team: workspace.id, event, external }),
  };
}

function personHandle(scene: Scene, person: Person): FakePerson {
  const { world, workspace } = scene;
  const dm = () => directMessage(world, workspace, person.id);
  const room = (channel: Channel | string): Channel => {
    const found = typeof channel === 'string' ? workspace.channels.get(channel) : channel;
    if (found === undefined) throw new Error(`The workspace has no channel ${String(channel)}.`);
    if (found.kind !== 'im') found.members.add(person.id);
    return found;
  };
  return {
    ...person,
    dm,
    says: (channel, text, options) => say(scene, person, room(channel), text, options),
    mentions: (channel, text, options) =>
      say(scene, person, room(channel), `<@${workspace.botUser}> ${text}`, options),
    edits: (message, text) => edit(scene, person, message, text),
    deletes: (message) => erase(scene, message),
    stops: (channel, threadTs) => pressStop(scene, person, room(channel), threadTs),
    renames: (channel, threadTs, title) =>
      renameSession(scene, person, { channel: room(channel), threadTs, title }),
    opensHome: (tab = 'home') =>
      world.emit({
        team: workspace.id,
        event: { type: 'app_home_opened', user: person.id, channel: dm().id, tab, event_ts: world.newTs() },
      }),
  };
}

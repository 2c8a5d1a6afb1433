/** A workspace for tests: its rooms, its people, and their actions. */

import type { Deliverer, Delivery } from '../events/deliver.ts';
import { envelope } from '../events/envelope.ts';
import { kindOf } from '../files/uploads.ts';
import {
  afterSubmission,
  closing,
  command,
  globalShortcut,
  messageShortcut,
  type Press,
  pressInMessage,
  pressInView,
  submission,
  suggestion,
} from '../interact/acts.ts';
import { removeApp } from '../methods/oauth.ts';
import type { Channel, Json, Message, Person, SharedFile, View, Workspace } from '../shapes.ts';
import { addChannel, addPerson, type ChannelOptions, directMessage, type PersonOptions } from '../world.ts';
import { edit, erase, pressStop, renameSession, type SayOptions, type Scene, say } from './messages.ts';

export interface FakePerson extends Person {
  /** The direct message between the person and the app. */
  dm(): Channel;
  says(channel: Channel | string, text: string, options?: SayOptions): Message;
  /** Writes a message that begins with a mention of the app. */
  mentions(channel: Channel | string, text: string, options?: SayOptions): Message;
  edits(message: Message, text: string): void;
  deletes(message: Message): void;
  /** Presses Slack's own Stop in a thread. Returns the streams that it ended. */
  stops(channel: Channel | string, threadTs: string): readonly string[];
  renames(channel: Channel | string, threadTs: string, title: string): void;
  opensHome(tab?: 'home' | 'messages'): void;
  /** Presses a control in a message or a view; the delivery contains the app's response. */
  presses(where: Message | View, press: Press | string): Delivery;
  /** Submits a form. The app's response closes, changes or keeps the view. */
  submits(view: View, values?: Json): Promise<Delivery>;
  closes(view: View, cleared?: boolean): Delivery;
  /** A slash command as typed: `/ask guide What now?` */
  types(channel: Channel | string, command: string): Delivery;
  uses(callbackId: string, message?: Message): Delivery;
  /** Types into a menu whose options the app supplies. */
  searches(actionId: string, value: string, view?: View): Delivery;
  /** The person's open views, newest last. */
  views(): readonly View[];
  home(): View | undefined;
}

export interface FileOptions {
  readonly name?: string;
  readonly bytes?: Uint8Array | string;
  readonly mimetype?: string;
  readonly by?: Person;
  readonly odd?: SharedFile['odd'];
}

export interface FakeWorkspace {
  readonly id: string;
  readonly token: string;
  readonly botUser: string;
  readonly botId: string;
  readonly state: Workspace;
  channel(options?: ChannelOptions): Channel;
  person(options?: PersonOptions): FakePerson;
  /** Returns a person who already exists. */
  known(id: string): FakePerson;
  /** A file that people may share: `says(channel, text, { files: [file] })`. */
  file(options?: FileOptions): SharedFile;
  /** Installs the app again with these scopes; its token does not change. */
  grant(scopes: readonly string[]): void;
  /** Revokes the token; sends the event unless `silently`. */
  revoke(silently?: boolean): void;
  removeApp(): void;
  /**
   * Sends the removal of an earlier installation again: slackapi/bolt-js#1558, and
   * https://docs.slack.dev/apis/events-api/#retries. Resolves with the statuses of the app's responses.
   */
  lateRemoval(secondsAgo: number): Promise<readonly (number | undefined)[]>;
  /**
   * Changes the id of a channel: https://docs.slack.dev/reference/events/channel_id_changed. Calls with the old id then
   * get `channel_not_found` (a guess). Returns the new channel, and a function that sends the event.
   */
  moves(channel: Channel): { readonly channel: Channel; announce(): void };
  /** Sends any event in its envelope. */
  emit(event: Json, external?: boolean): void;
}

export function workspaceHandle(scene: Scene, deliverer: Deliverer): FakeWorkspace {
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
    person: (options) => personHandle(scene, addPerson(world, workspace, options), deliverer),
    known: (id) => {
      const person = workspace.people.get(id);
      if (person === undefined) throw new Error(`The workspace has nobody with the id ${id}.`);
      return personHandle(scene, person, deliverer);
    },
    file: (options) => addFile(scene, options),
    grant: (scopes) => grant(scene, scopes),
    revoke: (silently = false) => revoke(scene, silently),
    removeApp: () => removeApp(world, workspace),
    lateRemoval: (secondsAgo) => lateRemoval(scene, secondsAgo, deliverer),
    moves: (channel) => move(scene, channel),
    emit: (event, external = false) => world.emit({ team: workspace.id, event, external }),
  };
}

function addFile({ world, workspace }: Scene, options: FileOptions = {}): SharedFile {
  const { name = 'notes.txt', bytes = 'Some notes.', odd, mimetype, by } = options;
  const kind = kindOf(name);
  const file: SharedFile = {
    id: world.newId('F'),
    name,
    title: name,
    ...kind,
    ...(mimetype === undefined ? {} : { mimetype }),
    bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
    user: by?.id ?? '',
    team: by?.team ?? workspace.id,
    created: world.clock.now(),
    channels: new Set(),
    deleted: false,
    ...(odd === undefined ? {} : { odd }),
  };
  workspace.files.set(file.id, file);
  return file;
}

function grant({ world, workspace }: Scene, scopes: readonly string[]): void {
  const held = world.tokens.get(workspace.token)?.scopes;
  held?.clear();
  for (const scope of scopes) held?.add(scope);
}

function revoke({ world, workspace }: Scene, silently: boolean): void {
  const bot = [workspace.botUser];
  if (!silently)
    world.emit({ team: workspace.id, event: { type: 'tokens_revoked', tokens: { oauth: [], bot } } });
  const token = world.tokens.get(workspace.token);
  if (token !== undefined) token.state = 'revoked';
}

async function lateRemoval({ world, workspace }: Scene, secondsAgo: number, { deliver }: Deliverer) {
  const bot = [workspace.botUser];
  const removals = [{ type: 'tokens_revoked', tokens: { oauth: [], bot } }, { type: 'app_uninstalled' }];
  const statuses = [];
  for (const event of removals) {
    const late = envelope(world, { team: workspace.id, event });
    const at = Math.floor(world.clock.now() / 1_000) - secondsAgo;
    const last = await deliver('event', { ...late, event_time: at }, 1).done;
    statuses.push(last?.status);
  }
  return statuses;
}

function move({ world, workspace }: Scene, channel: Channel) {
  const moved: Channel = { ...channel, id: world.newId('C'), kind: 'channel' };
  workspace.channels.delete(channel.id);
  workspace.channels.set(moved.id, moved);
  for (const message of moved.messages) Object.assign(message, { channel: moved.id });
  const ids = { old_channel_id: channel.id, new_channel_id: moved.id };
  const event = { type: 'channel_id_changed', ...ids, event_ts: world.newTs() };
  return { channel: moved, announce: () => world.emit({ team: workspace.id, event }) };
}

function personHandle(scene: Scene, person: Person, deliverer: Deliverer): FakePerson {
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
    says: (channel, text, options) => say(scene, person, room(channel), { ...options, source: text }),
    mentions: (channel, text, options) =>
      say(scene, person, room(channel), { ...options, source: `<@${workspace.botUser}> ${text}` }),
    edits: (message, text) => edit(scene, person, message, text),
    deletes: (message) => erase(scene, message),
    stops: (channel, threadTs) => pressStop(scene, person, room(channel), threadTs),
    renames: (channel, threadTs, title) =>
      renameSession(scene, person, { channel: room(channel), threadTs, title }),
    ...actsOf(scene, person, deliverer, room),
    opensHome: (tab = 'home') =>
      world.emit({
        team: workspace.id,
        event: { type: 'app_home_opened', user: person.id, channel: dm().id, tab, event_ts: world.newTs() },
      }),
  };
}

type Acts = Pick<
  FakePerson,
  'presses' | 'submits' | 'closes' | 'types' | 'uses' | 'searches' | 'views' | 'home'
>;

function actsOf(
  scene: Scene,
  person: Person,
  { deliver }: Deliverer,
  room: (channel: Channel | string) => Channel,
): Acts {
  const own = (type: View['type']) =>
    [...scene.workspace.views.values()].filter(
      (view) => view.user === person.id && view.type === type && !view.closed,
    );
  return {
    presses: (where, press) => {
      const wanted = typeof press === 'string' ? { actionId: press } : press;
      const payload =
        'ts' in where
          ? pressInMessage(scene, person, where, wanted)
          : pressInView(scene, person, where, wanted);
      return deliver('interactive', payload);
    },
    submits: async (view, values = {}) => {
      const delivery = deliver('interactive', submission(scene, person, view, values));
      const last = await delivery.done;
      if (last?.status === 200) afterSubmission(scene, view, last.body);
      return delivery;
    },
    closes: (view, cleared = false) => deliver('interactive', closing(scene, person, view, cleared)),
    types: (channel, typed) => deliver('command', command(scene, person, room(channel), typed)),
    uses: (callbackId, message) =>
      deliver(
        'interactive',
        message === undefined
          ? globalShortcut(scene, person, callbackId)
          : messageShortcut(scene, person, message, callbackId),
      ),
    searches: (actionId, value, view) =>
      deliver('options', suggestion(scene, person, { actionId, value }, view)),
    views: () => own('modal'),
    home: () => own('home')[0],
  };
}

/** Payloads of buttons, forms, commands and shortcuts, as Slack sends them. */

import { messageJson } from '../answers.ts';
import { isJson, list, text } from '../args.ts';
import { isOrgWide } from '../events/envelope.ts';
import { checkOffered } from '../manifest.ts';
import { keep, viewJson } from '../methods/views.ts';
import type { Scene } from '../people/messages.ts';
import type { Channel, Json, Message, Person, View } from '../shapes.ts';
import { newResponseUrl, newTrigger } from './triggers.ts';

/**
 * If a whole organization installed the app, a press names no team (slackapi/bolt-python#23). The person's team is then
 * the person's home, which may be another workspace (slackapi/bolt-js#1875), or the organization.
 */
function around({ world, workspace }: Scene, person: Person): Json {
  const { enterprise } = workspace;
  const orgWide = isOrgWide(world, enterprise);
  const home = orgWide && world.pressersAreOf === 'organization' ? enterprise : person.team;
  return {
    token: world.app.verificationToken,
    api_app_id: world.app.id,
    team: orgWide ? null : { id: workspace.id, domain: workspace.domain },
    user: { id: person.id, username: person.name, name: person.name, team_id: home },
    enterprise: enterprise === undefined ? null : { id: enterprise, name: 'Organization' },
    is_enterprise_install: orgWide,
  };
}

export interface Press {
  readonly actionId: string;
  /** Value of the press. Default: the value of the button. Feedback buttons need `value`, menus need `option`. */
  readonly value?: string;
  readonly option?: Json;
  readonly blockId?: string;
}

/** Returns the element of a message or view with the action id. */
export function findElement(blocks: unknown, actionId: string): { block: Json; element: Json } | undefined {
  for (const block of Array.isArray(blocks) ? blocks.filter(isJson) : []) {
    const inside = [...(list(block, 'elements') ?? []), block.accessory, block.element].filter(isJson);
    const element = inside.find((each) => each.action_id === actionId);
    if (element !== undefined) return { block, element };
  }
  return undefined;
}

function actionOf({ world }: Scene, blocks: unknown, press: Press): Json {
  const found = findElement(blocks, press.actionId);
  if (found === undefined) throw new Error(`Nothing there has the action id ${press.actionId}.`);
  const { block, element } = found;
  const value = press.value ?? text(element, 'value');
  return {
    type: element.type,
    action_id: press.actionId,
    block_id: press.blockId ?? text(block, 'block_id') ?? 'b1',
    action_ts: world.newTs(),
    ...(element.text === undefined ? {} : { text: element.text }),
    ...(value === undefined ? {} : { value }),
    ...(press.option === undefined ? {} : { selected_option: press.option }),
  };
}

export function pressInMessage(scene: Scene, person: Person, message: Message, press: Press): Json {
  const { world, workspace, url } = scene;
  const { threadTs } = message;
  const shown = messageJson(world, workspace, message, url);
  const place = { team: workspace.id, channel: message.channel, user: person.id, message: message.ts };
  return {
    type: 'block_actions',
    ...around(scene, person),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.onlyFor !== undefined,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    },
    trigger_id: newTrigger(world, person.id, workspace.id),
    channel: { id: message.channel, name: workspace.channels.get(message.channel)?.name ?? '' },
    ...(message.onlyFor === undefined ? { message: shown } : {}),
    state: { values: {} },
    response_url: newResponseUrl(world, url, threadTs === undefined ? place : { ...place, threadTs }),
    actions: [actionOf(scene, shown.blocks, press)],
  };
}

export function pressInView(scene: Scene, person: Person, view: View, press: Press): Json {
  return {
    type: 'block_actions',
    ...around(scene, person),
    container: { type: 'view', view_id: view.id },
    trigger_id: newTrigger(scene.world, person.id, scene.workspace.id, view.id),
    view: viewJson(scene, view),
    actions: [actionOf(scene, view.view.blocks, press)],
  };
}

/** @param values by block id, then action id: the input's state, `{ type, value }` or `{ type, selected_option }` */
export function submission(scene: Scene, person: Person, view: View, values: Json): Json {
  return {
    type: 'view_submission',
    ...around(scene, person),
    trigger_id: newTrigger(scene.world, person.id, scene.workspace.id, view.id),
    view: { ...viewJson(scene, view), state: { values } },
    response_urls: [],
  };
}

/** Applies the app's response to a submission: https://docs.slack.dev/surfaces/modals#updating_views */
export function afterSubmission(scene: Scene, view: View, body: string): void {
  const answer: unknown = body === '' || body === '""' ? {} : JSON.parse(body);
  if (!isJson(answer)) return;
  const next = isJson(answer.view) ? answer.view : undefined;
  const action = answer.response_action;
  if (action === 'errors') return;
  if (action === 'update' && next !== undefined) view.view = next;
  else if (action === 'push' && next !== undefined) keep(scene, next, { user: view.user, below: view });
  else if (action === 'clear') closeAll(scene, view);
  else view.closed = true;
}

function closeAll({ workspace }: Scene, view: View): void {
  for (const each of workspace.views.values()) if (each.root === view.root) each.closed = true;
}

export function closing(scene: Scene, person: Person, view: View, cleared: boolean): Json {
  view.closed = true;
  if (cleared) closeAll(scene, view);
  return { type: 'view_closed', ...around(scene, person), view: viewJson(scene, view), is_cleared: cleared };
}

export function command(scene: Scene, person: Person, channel: Channel, typed: string): Json {
  const { world, workspace, url } = scene;
  const [name = '', ...words] = typed.split(' ');
  checkOffered(name);
  const { enterprise } = workspace;
  return {
    token: world.app.verificationToken,
    team_id: workspace.id,
    team_domain: workspace.domain,
    ...(enterprise === undefined ? {} : { enterprise_id: enterprise, enterprise_name: 'Organization' }),
    channel_id: channel.id,
    channel_name:
      channel.kind === 'im' ? 'directmessage' : channel.kind === 'group' ? 'privategroup' : channel.name,
    user_id: person.id,
    user_name: person.name,
    command: name,
    text: words.join(' '),
    api_app_id: world.app.id,
    is_enterprise_install: 'false',
    response_url: newResponseUrl(world, url, { team: workspace.id, channel: channel.id, user: person.id }),
    trigger_id: newTrigger(world, person.id, workspace.id),
  };
}

export function globalShortcut(scene: Scene, person: Person, callbackId: string): Json {
  checkOffered(callbackId);
  return {
    type: 'shortcut',
    ...around(scene, person),
    action_ts: scene.world.newTs(),
    callback_id: callbackId,
    trigger_id: newTrigger(scene.world, person.id, scene.workspace.id),
  };
}

export function messageShortcut(scene: Scene, person: Person, message: Message, callbackId: string): Json {
  checkOffered(callbackId);
  const { world, workspace, url } = scene;
  const channel = workspace.channels.get(message.channel);
  return {
    type: 'message_action',
    ...around(scene, person),
    action_ts: world.newTs(),
    callback_id: callbackId,
    trigger_id: newTrigger(world, person.id, workspace.id),
    channel: { id: message.channel, name: channel?.name ?? '' },
    message_ts: message.ts,
    message: messageJson(world, workspace, message, url),
    response_url: newResponseUrl(world, url, {
      team: workspace.id,
      channel: message.channel,
      user: person.id,
    }),
  };
}

export interface Search {
  readonly actionId: string;
  /** The text typed so far. */
  readonly value: string;
}

export function suggestion(scene: Scene, person: Person, { actionId, value }: Search, view?: View): Json {
  return {
    type: 'block_suggestion',
    ...around(scene, person),
    action_id: actionId,
    block_id: 'b1',
    value,
    ...(view === undefined
      ? {}
      : { container: { type: 'view', view_id: view.id }, view: viewJson(scene, view) }),
  };
}

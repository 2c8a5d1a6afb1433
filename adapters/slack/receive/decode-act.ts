/** Bodies of buttons, forms, shortcuts and commands become typed acts. */

import { isPlain, type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import { decodeMessage } from './decode.ts';
import type { Actor, SlackAct, SlackAction, SlackMessage, SlackView } from './events.ts';

/** @param body the decoded `payload` of an interaction, or the fields of a command */
export function decodeAct(body: unknown): SlackAct | undefined {
  if (!isPlain(body)) return undefined;
  const by = decodeActor(body);
  if (by === undefined) return undefined;
  if (text(body.command) !== undefined) return command(body, by);
  switch (body.type) {
    case 'block_actions':
      return pressed(body, by);
    case 'view_submission':
      return { kind: 'submitted', by, view: decodeView(body.view) };
    case 'view_closed':
      return { kind: 'closed', by, view: decodeView(body.view) };
    case 'shortcut':
      return { kind: 'shortcut', by, callback: text(body.callback_id) ?? '' };
    case 'message_action':
      return { kind: 'shortcut', by, callback: text(body.callback_id) ?? '', ...holding(body) };
    case 'block_suggestion':
      return { kind: 'options', by, action: text(body.action_id) ?? '', value: text(body.value) ?? '' };
    default:
      return undefined;
  }
}

function decodeActor(body: Plain): Actor | undefined {
  const person = plain(body.user);
  const user = text(person.id) ?? text(body.user_id);
  if (user === undefined) return undefined;
  const team = text(person.team_id);
  const trigger = text(body.trigger_id);
  const responseUrl = text(body.response_url);
  return {
    user,
    ...(team !== undefined && { team }),
    ...(trigger !== undefined && { trigger }),
    ...(responseUrl !== undefined && { responseUrl }),
  };
}

function command(body: Plain, by: Actor): SlackAct | undefined {
  const conversation = text(body.channel_id);
  const name = text(body.command);
  if (conversation === undefined || name === undefined) return undefined;
  return { kind: 'command', by, name, text: text(body.text) ?? '', conversation };
}

/** Of several actions (a form's fields) the first is the one that was used. */
function pressed(body: Plain, by: Actor): SlackAct | undefined {
  const [first] = plains(body.actions);
  const action = first && decodeAction(first);
  if (action === undefined) return undefined;
  const conversation = text(plain(body.channel).id) ?? text(plain(body.container).channel_id);
  return {
    kind: 'pressed',
    by,
    action,
    container: containerOf(plain(body.container)),
    ...(conversation !== undefined && { conversation }),
    ...holding(body),
    ...(isPlain(body.view) && { view: decodeView(body.view) }),
  };
}

function containerOf({ message_ts, thread_ts }: Plain): { messageTs?: string; threadTs?: string } {
  const messageTs = text(message_ts);
  const threadTs = text(thread_ts);
  return { ...(messageTs !== undefined && { messageTs }), ...(threadTs !== undefined && { threadTs }) };
}

function holding(body: Plain): { message?: SlackMessage } {
  const message = decodeMessage(plain(body.message), { channel: plain(body.channel).id });
  return message === undefined ? {} : { message };
}

function decodeAction(action: Plain): SlackAction | undefined {
  const id = text(action.action_id);
  if (id === undefined) return undefined;
  const chosen = text(plain(action.selected_option).value) ?? text(action.selected_conversation);
  return {
    id,
    block: text(action.block_id) ?? '',
    type: text(action.type) ?? '',
    value: text(action.value) ?? chosen ?? '',
    ts: text(action.action_ts) ?? '',
  };
}

function decodeView(value: unknown): SlackView {
  const view = plain(value);
  const values = Object.entries(plain(plain(view.state).values));
  return {
    id: text(view.id) ?? '',
    callback: text(view.callback_id) ?? '',
    hash: text(view.hash) ?? '',
    metadata: text(view.private_metadata) ?? '',
    values: Object.fromEntries(values.map(([block, fields]) => [block, plain(fields)])),
  };
}

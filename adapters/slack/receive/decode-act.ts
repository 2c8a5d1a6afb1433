/** Decodes the bodies of buttons, forms, shortcuts and commands into typed acts. */

import { isPlain, type Plain, plain, plains, text } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import { readMetadata } from '../ids.ts';
import { decodeMessage } from './decode.ts';
import type { Actor, SlackAct, SlackAction, SlackView } from './events.ts';

/**
 * Returns the act (a press, a sent form, a shortcut or a command); undefined if the bridge does not handle it.
 * @param body the decoded `payload` of an interaction, or the fields of a command
 */
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
    case 'shortcut':
      return { kind: 'shortcut', by };
    case 'message_action': {
      const message = decodeMessage(plain(body.message), { channel: plain(body.channel).id });
      return { kind: 'shortcut', by, ...defined({ message }) };
    }
    default:
      return undefined;
  }
}

function decodeActor(body: Plain): Actor | undefined {
  const person = plain(body.user);
  const user = text(person.id) ?? text(body.user_id);
  if (user === undefined) return undefined;
  const team = text(person.team_id);
  return { user, ...defined({ team, trigger: text(body.trigger_id), responseUrl: text(body.response_url) }) };
}

function command(body: Plain, by: Actor): SlackAct | undefined {
  const conversation = text(body.channel_id);
  if (conversation === undefined) return undefined;
  return { kind: 'command', by, text: text(body.text) ?? '', conversation };
}

/**
 * Decodes the first action of the list. In a form with several fields, that is the action on the field that the person
 * used.
 */
function pressed(body: Plain, by: Actor): SlackAct | undefined {
  const [first] = plains(body.actions);
  const action = first && decodeAction(first);
  if (action === undefined) return undefined;
  const { channel_id, thread_ts } = plain(body.container);
  return {
    kind: 'pressed',
    by,
    action,
    ...defined({
      conversation: text(plain(body.channel).id) ?? text(channel_id),
      threadTs: text(plain(body.message).thread_ts) ?? text(thread_ts),
      view: isPlain(body.view) ? decodeView(body.view) : undefined,
    }),
  };
}

function decodeAction(action: Plain): SlackAction | undefined {
  const id = text(action.action_id);
  if (id === undefined) return undefined;
  const chosen = text(plain(action.selected_option).value) ?? text(action.selected_conversation);
  return { id, value: text(action.value) ?? chosen ?? '', ts: text(action.action_ts) ?? '' };
}

function decodeView(value: unknown): SlackView {
  const view = plain(value);
  const values = Object.entries(plain(plain(view.state).values));
  return {
    id: text(view.id) ?? '',
    callback: text(view.callback_id) ?? '',
    ...readMetadata(text(view.private_metadata) ?? ''),
    values: Object.fromEntries(values.map(([block, fields]) => [block, plain(fields)])),
  };
}

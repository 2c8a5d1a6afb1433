/** Shows a sentence or a form to one person only. */

import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { plain, type RefusedQuestion, text, within } from '../../../src/kit/ladder.ts';
import { BridgeError, defined, type Turn } from '../../../src/kit.ts';
import type { Calls } from '../api/calls.ts';
import { respond } from '../api/post.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf, withTenant } from '../ids.ts';
import { isPrivate } from '../private-places.ts';
import { actionId, actionValue } from '../render/actions.ts';
import { button, notice, paragraph } from '../render/blocks.ts';
import { asMrkdwn } from '../render/escape.ts';
import type { Interaction } from './deps.ts';
import { words } from './words.ts';

/**
 * Shows the sentence to the person: in a note that only they see, else at the response URL, else in a direct message.
 * Resolves with true as soon as Slack accepts one of these three.
 */
export async function tell(
  { by, workspace, deps, conversation, threadTs }: Interaction,
  sentence: string,
  blocks?: readonly KnownBlock[],
): Promise<boolean> {
  const { calls, apiUrl, signal } = deps;
  const { user, responseUrl } = by;
  const note = { text: asMrkdwn(sentence), thread_ts: threadTs, ...defined({ blocks }) };
  if (conversation !== undefined) {
    const sent = await calls.call(workspace, 'chat.postEphemeral', { ...note, channel: conversation, user });
    if (sent.kind === 'done') return true;
  }
  // A response URL also works in channels where the app is not a member. If the post names no thread, Slack shows the
  // note in the channel.
  if (responseUrl !== undefined) {
    const outcome = await respond(responseUrl, note, apiUrl, signal).catch(() => undefined);
    if (outcome?.kind === 'done') return true;
  }
  // A post to the person's id opens the app's direct message.
  const direct = { channel: user, text: note.text, unfurl_links: false, unfurl_media: false };
  return (await calls.call(workspace, 'chat.postMessage', direct)).kind === 'done';
}

/** Returns the blocks of a note about a waiting question, with the button *Ask this instead*. */
function insteadBlocks({ id: turn, message }: Turn, sentence: string): readonly KnownBlock[] {
  const { room, key, kind } = message.thread;
  const value = actionValue({ turn, question: message.id, room, key, kind });
  const press = button(words.instead, { id: actionId('instead'), value });
  return [paragraph(sentence), { type: 'actions', elements: [press] }];
}

/** Removes the note that contains the pressed button. Slack deletes such a note only through the press's own URL. */
export async function removeNote({ by: { responseUrl }, deps }: Interaction): Promise<void> {
  if (responseUrl === undefined) return;
  // Slack requires that the request has no other fields: https://github.com/slackapi/bolt-js/issues/959,
  // https://github.com/slack-edge/slack-web-api-client/issues/23
  const removal = { delete_original: true, response_type: undefined, replace_original: undefined };
  await respond(responseUrl, removal, deps.apiUrl, deps.signal).catch(() => undefined);
}

/** Shows a person that their question waits, in a note that is separate from the answer's message. */
export async function sayWaiting(
  turn: Turn,
  sentence: string,
  offersInstead: boolean,
  { workspace, deps }: Pick<Interaction, 'workspace' | 'deps'>,
): Promise<void> {
  const { thread, sender } = turn.message;
  const place = isPrivate(thread) ? await deps.places.find(thread) : undefined;
  const by = { user: sender.id, ...defined({ responseUrl: place?.responseUrl }) };
  const threadTs = isPrivate(thread) ? place?.threadTs : visibleThread(turn.message);
  const interaction = { by, workspace, deps, conversation: thread.room, ...defined({ threadTs }) };
  await tell(interaction, sentence, offersInstead ? insteadBlocks(turn, sentence) : undefined);
}

/**
 * Returns the thread for a note about a question; undefined while the thread has no reply, because Slack does not show
 * such a thread.
 */
const visibleThread = ({ thread, id }: Pick<RefusedQuestion, 'thread' | 'id'>): string | undefined =>
  thread.key === tsOf(id) ? undefined : thread.key;

/**
 * Posts an ephemeral note with the reason for a refusal. Rejects with `channel-unavailable` if Slack refuses the note.
 */
export async function tellRefused(refused: RefusedQuestion, sentence: string, calls: Calls): Promise<void> {
  const { thread, sender } = refused;
  const sent = await calls.call(thread, 'chat.postEphemeral', {
    channel: thread.room,
    user: sender.id,
    text: asMrkdwn(sentence),
    thread_ts: visibleThread(refused),
  });
  if (sent.kind !== 'done')
    throw new BridgeError('channel-unavailable', `Slack refused a notice: ${sent.error}`);
}

/**
 * Maximum wait for a form's content, in milliseconds; after that, the form opens without it. Slack accepts a form until
 * 3 s after the press.
 */
const OPEN_WITHIN_MS = 800;

/**
 * Opens a form within Slack's 3 s. Shows a waiting notice first if the content takes longer than `OPEN_WITHIN_MS`.
 * @param method `views.push` opens the form on top of another open form
 */
export async function openView(
  interaction: Interaction,
  title: string,
  prepare: () => Promise<ModalView>,
  method: 'views.open' | 'views.push' = 'views.open',
): Promise<void> {
  const { by, workspace, deps } = interaction;
  if (by.trigger === undefined) return;
  const wanted = prepare().catch((err: unknown) => {
    deps.host.log.warn({ err, tenant: workspace.tenant }, 'a form could not be opened');
    return notice(title, words.trouble);
  });
  const ready = await within(wanted, OPEN_WITHIN_MS, deps.host.clock);
  const view = ready ?? notice(title, words.moment);
  const opened = await deps.calls.call(workspace, method, {
    trigger_id: by.trigger,
    view: inWorkspace(view, workspace),
  });
  if (opened.kind !== 'done' || ready !== undefined) return;
  const id = text(plain(opened.body.view).id);
  if (id !== undefined) await updateView(interaction, id, await wanted);
}

export async function updateView(
  { workspace, deps }: Interaction,
  id: string,
  view: ModalView,
): Promise<void> {
  await deps.calls.call(workspace, 'views.update', { view_id: id, view: inWorkspace(view, workspace) });
}

/**
 * Notes the workspace in a form or a home. If a whole organization installed the app, Slack does not always say in which
 * workspace a person uses it.
 */
export function inWorkspace<View extends ModalView | HomeView>(
  view: View,
  { tenant, organization }: Workspace,
): View {
  if (organization === undefined) return view;
  return { ...view, private_metadata: withTenant(view.private_metadata ?? '', tenant) };
}

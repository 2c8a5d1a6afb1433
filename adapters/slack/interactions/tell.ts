/** Shows a sentence or a form to one person only. */

import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { defined, plain, text } from '../../../src/kit/json.ts';
import type { Refused } from '../../../src/kit/refusals.ts';
import { BridgeError, type Turn, within } from '../../../src/kit.ts';
import { respond } from '../api/post.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf, withTenant } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { actionId, actionValue } from '../render/actions.ts';
import { asMrkdwn } from '../render/escape.ts';
import { BUTTON, notice, paragraph, plainText } from './blocks.ts';
import type { Calls } from './calls.ts';
import type { Interaction, InteractionDeps } from './deps.ts';
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
    const told = await calls.call(workspace, 'chat.postEphemeral', { ...note, channel: conversation, user });
    if (told.ok) return true;
  }
  // A response URL also works in channels where the app is not a member. If the post names no thread, Slack shows the
  // note in the channel.
  if (responseUrl !== undefined) {
    const told = await respond(responseUrl, note, apiUrl, signal).catch(() => undefined);
    if (told?.kind === 'done') return true;
  }
  // A post to the person's id opens the app's direct message.
  const direct = { channel: user, text: note.text, unfurl_links: false, unfurl_media: false };
  return (await calls.call(workspace, 'chat.postMessage', direct)).ok;
}

interface WaitingNote {
  readonly sentence: string;
  readonly blocks?: readonly KnownBlock[];
  readonly workspace: Workspace;
  readonly deps: InteractionDeps;
}

/** Returns the blocks of a note about a waiting question, with the button *Ask this instead*. */
export function insteadBlocks({ id: turn, message }: Turn, sentence: string): readonly KnownBlock[] {
  const { room, key, kind } = message.thread;
  const value = actionValue({ turn, question: message.id, room, key, kind });
  const text = plainText(words.instead, BUTTON);
  return [
    paragraph(sentence),
    { type: 'actions', elements: [{ type: 'button', action_id: actionId('instead'), text, value }] },
  ];
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
  { message }: Turn,
  { sentence, blocks, workspace, deps }: WaitingNote,
): Promise<void> {
  const { thread, sender, id } = message;
  const place = isPrivate(thread) ? await deps.places.find(thread) : undefined;
  const by = { user: sender.id, ...defined({ responseUrl: place?.responseUrl }) };
  // Slack does not show a thread until it has a reply, so a note inside such a thread would not be seen.
  const threadTs = isPrivate(thread) ? place?.threadTs : thread.key === tsOf(id) ? undefined : thread.key;
  const interaction = { by, workspace, deps, conversation: thread.room, ...defined({ threadTs }) };
  await tell(interaction, sentence, blocks);
}

/**
 * Posts an ephemeral note with the reason for a refusal. Rejects with `channel-unavailable` if Slack refuses the note.
 */
export async function tellRefused(
  { thread, sender, id }: Refused,
  sentence: string,
  calls: Calls,
): Promise<void> {
  const told = await calls.call(thread, 'chat.postEphemeral', {
    channel: thread.room,
    user: sender.id,
    text: asMrkdwn(sentence),
    // Slack does not show a thread until it has a reply, so a note inside such a thread would not be seen.
    thread_ts: thread.key === tsOf(id) ? undefined : thread.key,
  });
  if (!told.ok) throw new BridgeError('channel-unavailable', `Slack refused a notice: ${told.error}`);
}

/**
 * Maximum wait for a form's content, in milliseconds; after that, the form opens without it. Slack accepts a form until
 * 3 s after the press.
 */
const OPEN_WITHIN_MS = 800;

interface Opening {
  readonly title: string;
  /** Set if the form opens on top of another open form. */
  readonly onTop?: true;
  prepare(): Promise<ModalView>;
}

/** Opens a form within Slack's 3 s. Shows a waiting notice first if the content takes longer than `OPEN_WITHIN_MS`. */
export async function openView(interaction: Interaction, opening: Opening): Promise<void> {
  const { by, workspace, deps } = interaction;
  if (by.trigger === undefined) return;
  const { title, onTop } = opening;
  const wanted = opening.prepare().catch((err: unknown) => {
    deps.host.log.warn({ err, tenant: workspace.tenant }, 'a form could not be opened');
    return notice(title, words.trouble);
  });
  const ready = await within(wanted, OPEN_WITHIN_MS, deps.host.clock);
  const method = onTop ? 'views.push' : 'views.open';
  const view = ready ?? notice(title, words.moment);
  const opened = await deps.calls.call(workspace, method, {
    trigger_id: by.trigger,
    view: inWorkspace(view, workspace),
  });
  if (!opened.ok || ready !== undefined) return;
  const id = text(plain(opened.answer.view).id);
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

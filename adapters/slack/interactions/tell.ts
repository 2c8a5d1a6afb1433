/** Shows something to one person: a sentence where they are, a form. */

import type { ModalView } from '@slack/types';
import { plain, text } from '../../../src/kit/json.ts';
import type { Refused } from '../../../src/kit/refusals.ts';
import { BridgeError, type Turn, within } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { asMrkdwn } from '../render/escape.ts';
import { notice } from './blocks.ts';
import type { Calls } from './calls.ts';
import type { InteractionDeps, Scene } from './deps.ts';
import { words } from './words.ts';

/** Resolves whether it could be shown. */
export async function tell(scene: Scene, sentence: string): Promise<boolean> {
  return (
    (await tellInRoom(scene, sentence)) ||
    (await tellByAddress(scene, sentence)) ||
    tellDirectly(scene, sentence)
  );
}

async function tellInRoom(
  { by, workspace, deps, conversation, threadTs }: Scene,
  sentence: string,
): Promise<boolean> {
  if (conversation === undefined) return false;
  const told = await deps.calls.call(workspace, 'chat.postEphemeral', {
    channel: conversation,
    user: by.user,
    text: asMrkdwn(sentence),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  });
  return told.ok;
}

/** Reaches them also where the app was never invited. */
async function tellByAddress({ by, deps, threadTs }: Scene, sentence: string): Promise<boolean> {
  if (by.responseUrl === undefined) return false;
  // Without the thread, Slack shows the note in the channel.
  const body = {
    response_type: 'ephemeral',
    replace_original: false,
    text: asMrkdwn(sentence),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
  return deps.respond(by.responseUrl, body);
}

/** The app's direct message is opened by writing to the person. */
async function tellDirectly({ by, workspace, deps }: Scene, sentence: string): Promise<boolean> {
  const told = await deps.calls.call(workspace, 'chat.postMessage', {
    channel: by.user,
    text: asMrkdwn(sentence),
    unfurl_links: false,
    unfurl_media: false,
  });
  return told.ok;
}

/** Tells a person that their question waits, beside the thread. */
export async function sayWaiting(
  { message }: Turn,
  { ahead, workspace, deps }: { ahead: number; workspace: Workspace; deps: InteractionDeps },
): Promise<void> {
  const { thread, sender, id } = message;
  const place = isPrivate(thread) ? await deps.places.find(thread) : undefined;
  const responseUrl = place?.responseUrl;
  const by = { user: sender.id, ...(responseUrl !== undefined && { responseUrl }) };
  // A thread that has no answer yet is not open, so that a note inside would not be seen.
  const threadTs = isPrivate(thread) ? place?.threadTs : thread.key === tsOf(id) ? undefined : thread.key;
  const where = threadTs === undefined ? {} : { threadTs };
  await tell({ by, workspace, deps, conversation: thread.room, ...where }, words.waiting(ahead));
}

/** Tells a person beside the thread why a message was refused. Rejects with `channel-unavailable`. */
export async function tellRefused(
  { thread, sender, id }: Refused,
  sentence: string,
  calls: Calls,
): Promise<void> {
  const told = await calls.call(thread, 'chat.postEphemeral', {
    channel: thread.room,
    user: sender.id,
    text: asMrkdwn(sentence),
    // A thread that has no answer yet is not open, so that a note inside would not be seen.
    ...(thread.key !== tsOf(id) && { thread_ts: thread.key }),
  });
  if (!told.ok) throw new BridgeError('channel-unavailable', `Slack refused a note: ${told.error}`);
}

/** Slack lets a form be opened for 3 s after the press; the call itself takes part of them. */
const OPEN_WITHIN_MS = 800;

interface Opening {
  readonly title: string;
  /** Above a form that is open already. */
  readonly onTop?: true;
  prepare(): Promise<ModalView>;
}

/** Opens a form while Slack still lets us, and fills it when its content is there. */
export async function openView(scene: Scene, opening: Opening): Promise<void> {
  const { by, workspace, deps } = scene;
  if (by.trigger === undefined) return;
  const { title, onTop } = opening;
  const wanted = opening.prepare().catch((err: unknown) => {
    deps.host.log.warn({ err, tenant: workspace.tenant }, 'a form could not be made');
    return notice(title, words.trouble);
  });
  const ready = await within(wanted, OPEN_WITHIN_MS, deps.host.clock);
  const method = onTop ? 'views.push' : 'views.open';
  const view = ready ?? notice(title, words.moment);
  const opened = await deps.calls.call(workspace, method, { trigger_id: by.trigger, view });
  if (!opened.ok || ready !== undefined) return;
  const id = text(plain(opened.answer.view).id);
  if (id !== undefined) await updateView(scene, id, await wanted);
}

export async function updateView({ workspace, deps }: Scene, id: string, view: ModalView): Promise<void> {
  await deps.calls.call(workspace, 'views.update', { view_id: id, view });
}

/** One sentence for one person, where they are. */

import { asMrkdwn } from '../render/escape.ts';
import type { Scene } from './deps.ts';

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

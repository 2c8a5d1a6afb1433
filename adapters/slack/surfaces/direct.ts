/** Questions from places that have no conversation: asked in the app's direct message with the person. */

import { text } from '../../../src/kit/json.ts';
import type { Filled } from './ask-form.ts';
import { actMessage, actPost, nameOf, takeIn } from './asking.ts';
import { type Admitted, threadAt } from './parts.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

/** Slack opens the conversation with the first message to a person. */
export async function askDirectly(
  scene: Admitted,
  { question, agent, act }: Filled & { readonly act: string },
): Promise<void> {
  const { parts, workspace, person } = scene;
  const posted = await parts.calls.call(workspace, 'chat.postMessage', {
    channel: person.id,
    ...actPost(words.asked(nameOf(person.id), undefined), question),
  });
  const room = posted.ok ? text(posted.answer.channel) : undefined;
  const ts = posted.ok ? text(posted.answer.ts) : undefined;
  if (room === undefined || ts === undefined) return void (await tell(scene, words.trouble));
  const thread = threadAt(workspace, { room, key: ts, kind: 'direct' });
  const chosen = agent ?? (await parts.preferences.of(workspace.tenant, person.id)).agent;
  const message = actMessage(scene, { thread, text: question, agent: chosen, ts });
  const there = { ...scene, conversation: room, threadTs: ts };
  await takeIn(there, { kind: 'ask', origin: { kind: 'act', key: act }, message });
}

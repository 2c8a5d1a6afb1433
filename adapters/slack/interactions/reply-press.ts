/** The buttons under an answer. */

import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import { agentName, type ThreadRef } from '../../../src/kit.ts';
import { isFor, isPrivate, privateThread } from '../private.ts';
import type { SlackAction } from '../receive/events.ts';
import { type ActionKind, readAction } from '../render/actions.ts';
import { admit } from './admit.ts';
import { actMessage, agentWords, askInPublic, nameOf, takeIn } from './asking.ts';
import { type Admitted, type Scene, threadAt } from './deps.ts';
import { pressFeedback } from './feedback.ts';
import { type Press, pressKey, replyOf } from './press.ts';
import { pressShare } from './share.ts';
import { pressSources } from './sources.ts';
import { tell } from './tell.ts';
import { words } from './words.ts';

/** All kinds except the overflow menu, whose options are handled under their own kinds. */
type Pressable = Exclude<ActionKind, 'more'>;

type Handle<Of extends Scene> = (scene: Of, press: Press) => Promise<unknown>;

/** Open a form, whose trigger expires after 3 s, so the person's rights are checked after it has opened. */
const forms: Readonly<Record<'feedback' | 'share' | 'sources', Handle<Scene>>> = {
  feedback: pressFeedback,
  share: pressShare,
  sources: pressSources,
};

const handlers: Readonly<Record<Exclude<Pressable, keyof typeof forms>, Handle<Admitted>>> = {
  stop,
  retry: (scene, press) => again(scene, press, 'retry'),
  regenerate: (scene, press) => again(scene, press, 'regenerate'),
  show,
  suggestion,
  agent: askAnother,
  mine,
};

/** Resolves when the bridge has it, or the person was told why not. */
export async function pressReply(scene: Scene, kind: Pressable, action: SlackAction): Promise<void> {
  const read = readAction(action);
  if (read === undefined) return void (await tell(scene, words.stale));
  if (!standsIn(scene, read.reply)) return void (await tell(scene, words.elsewhere));
  const thread = threadAt(scene.workspace, read.reply);
  const press: Press = { ...read, action, thread };
  if (isPrivate(thread)) await keepPlace(scene, thread);
  if (kind === 'feedback' || kind === 'share' || kind === 'sources')
    return void (await forms[kind](scene, press));
  const admission = await admit(scene);
  if (admission.kind === 'refused') return void (await tell(scene, admission.tellUser));
  await handlers[kind](admission.scene, press);
}

/** A private answer may have gone to the direct message with its person; any other stands where it was asked. */
function standsIn({ conversation = '', by }: Scene, reply: ReplyRef): boolean {
  if (!isFor(by.user, reply)) return false;
  return conversation === reply.room || (isPrivate(reply) && conversation.startsWith('D'));
}

/** Whether a press only opens a form, so that its acknowledgement need not wait for anything. */
export function opensForm(kind: Pressable): boolean {
  return kind === 'sources' || kind === 'share';
}

async function stop(scene: Admitted, { thread, reply }: Press): Promise<void> {
  const { person: by } = scene;
  const kept = await takeIn(scene, { kind: 'stop', thread, turn: reply.turn, by });
  if (kept.kind === 'nothing-to-stop') await tell(scene, words.ended);
}

/** In the same reply; as the person who wants it. */
async function again(scene: Admitted, { thread, reply, action }: Press, kind: 'retry' | 'regenerate') {
  const { person, workspace, deps } = scene;
  const read = await deps.questions.read(workspace, reply.question, thread);
  const message = read ?? {
    ...actMessage(scene, { thread, text: '', ts: action.ts }),
    id: reply.question,
  };
  const origin = { kind, of: reply.turn, by: person.id, key: pressKey(scene, action) } as const;
  await takeIn(scene, { kind: 'ask', origin, message: { ...message, sender: person } });
}

async function show(scene: Admitted, { thread, reply, action, detail }: Press): Promise<void> {
  const edition = Number(detail);
  if (!Number.isSafeInteger(edition) || edition < 1) return void (await tell(scene, words.stale));
  const { turn } = reply;
  const key = pressKey(scene, action);
  await takeIn(scene, { kind: 'show', thread, turn, edition, by: scene.person, key });
}

async function suggestion(scene: Admitted, { thread, action, detail, reply }: Press): Promise<void> {
  if (detail.trim() === '') return void (await tell(scene, words.stale));
  const document = await replyOf(scene, reply);
  const agent = document?.agent;
  const message = actMessage(scene, { thread, text: detail, agent, ts: action.ts });
  const origin = { kind: 'act', key: pressKey(scene, action) } as const;
  await askInPublic(scene, { origin, message, said: words.asked(nameOf(scene.person.id), undefined) });
}

async function askAnother(scene: Admitted, press: Press): Promise<void> {
  const { thread, action, detail, reply } = press;
  const agent = scene.deps.host.agents().find(({ name }) => name === detail)?.name;
  if (agent === undefined) return void (await tell(scene, words.stale));
  const message = { ...(await questionOf(scene, press)), agent };
  const origin = { kind: 'act', key: pressKey(scene, action), of: reply.turn } as const;
  const said = words.askedSame(nameOf(scene.person.id), agentWords(agent));
  if (isPrivate(thread)) return void (await mine(scene, press));
  await askInPublic(scene, { origin, message, said });
}

/** The reply's question as this person's own; without words, the bridge knows them for a day. */
async function questionOf(scene: Admitted, { thread, action, reply }: Press) {
  const read = await scene.deps.questions.read(scene.workspace, reply.question, thread);
  const message = actMessage(scene, { thread, text: read?.text ?? '', ts: action.ts });
  return { ...message, quoted: read?.quoted ?? [], files: read?.files ?? [] };
}

/** Each press brings a fresh address for what is private. */
async function keepPlace({ by, deps, threadTs }: Scene, thread: ThreadRef): Promise<void> {
  const known = await deps.places.find(thread);
  await deps.places.keep(thread, {
    ...known,
    user: by.user,
    ...(by.responseUrl !== undefined && { responseUrl: by.responseUrl }),
    ...(threadTs !== undefined && { threadTs }),
  });
}

/** The same question, answered as the person may have it answered, and for them alone. */
async function mine(scene: Admitted, press: Press): Promise<void> {
  const { action, detail, reply, thread: from } = press;
  const { workspace, person } = scene;
  const key = pressKey(scene, action);
  const thread = privateThread({
    tenant: workspace.tenant,
    room: from.room,
    user: person.id,
    act: action.ts,
  });
  await keepPlace(scene, thread);
  const question = await questionOf(scene, press);
  const named = detail === '' ? undefined : agentName(detail);
  const agent = named ?? (await replyOf(scene, reply))?.agent;
  const message = { ...question, thread, ...(agent !== undefined && { agent }) };
  const origin = { kind: 'act', key, of: reply.turn } as const;
  await takeIn(scene, { kind: 'ask', origin, message });
}

/** The buttons under an answer. */

import { plain, text } from '../../../src/kit/json.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { ThreadRef } from '../../../src/kit.ts';
import { readPatiently } from '../api/patience.ts';
import { CHANNEL, readConversation } from '../ids.ts';
import { isFor, isPrivate, privateThread } from '../private.ts';
import { type ActionKind, readAction, verbOf } from '../render/actions.ts';
import { AGENT_INPUT } from '../render/buttons.ts';
import { actMessage, intake, takeIn } from './acts.ts';
import { admit, replyOf, threadAt } from './admit.ts';
import { refused, said, type Told } from './answers.ts';
import type { Admitted, Press, Scene } from './deps.ts';
import { pressShare, pressShareSource } from './share.ts';
import { pressSources } from './sources.ts';
import { words } from './words.ts';

const handlers: Readonly<Record<ActionKind, (scene: Admitted, press: Press) => Promise<Told>>> = {
  stop,
  retry: (scene, press) => again(scene, press, 'retry'),
  regenerate: (scene, press) => again(scene, press, 'regenerate'),
  show,
  suggestion,
  agent: askAnother,
  mine: pressAskAsMe,
  sources: pressSources,
  share: pressShare,
  shareSource: pressShareSource,
  // The form's answer comes as an invoke of its own.
  feedback: async () => refused(words.stale),
};

/** Resolves when the bridge has it, or with why not. */
export async function press(scene: Scene, value: unknown): Promise<Told> {
  const action = plain(plain(value).action);
  const read = readAction(action.data);
  if (read === undefined || text(action.verb) !== verbOf(read.kind)) return refused(words.stale);
  if (!standsIn(scene, read.reply)) return refused(words.elsewhere);
  const admission = await admit(scene);
  if (admission.kind === 'refused') return refused(admission.tellUser);
  return handlers[read.kind](admission.scene, { ...read, thread: threadAt(scene.place, read.reply) });
}

/**
 * What a press carries comes back from outside: it counts only in its own conversation, and another's private answer for
 * nobody (attacks S16, S17).
 */
function standsIn({ place, by }: Scene, reply: ReplyRef): boolean {
  const { room, root } = readConversation(place.conversation);
  if (reply.room !== room || !isFor(by.id, reply)) return false;
  if (isPrivate(reply)) return true;
  if (reply.kind !== place.kind) return false;
  return reply.kind === 'room' ? root === undefined || reply.key === root : reply.key === room;
}

async function stop(scene: Admitted, { thread, reply }: Press): Promise<Told> {
  const kept = await intake(scene, { kind: 'stop', thread, turn: reply.turn, by: scene.person });
  if (kept.kind === 'refused') return refused(kept.tellUser);
  return said(kept.kind === 'nothing-to-stop' ? words.ended : words.stopping);
}

/** In the same reply; as the person who wants it. The bridge knows the words for a day. */
function again(scene: Admitted, { thread, reply }: Press, kind: 'retry' | 'regenerate'): Promise<Told> {
  const { person, key } = scene;
  const message = { ...actMessage(scene, { kind: 'same', thread, text: '' }), id: reply.question };
  const origin = { kind, of: reply.turn, by: person.id, key } as const;
  return takeIn(scene, { kind: 'ask', origin, message }, words.again);
}

async function show(scene: Admitted, { thread, reply, detail }: Press): Promise<Told> {
  const edition = Number(detail);
  if (!Number.isSafeInteger(edition) || edition < 1) return refused(words.stale);
  const { person: by, key } = scene;
  return takeIn(scene, { kind: 'show', thread, turn: reply.turn, edition, by, key }, words.showing);
}

async function suggestion(scene: Admitted, pressed: Press): Promise<Told> {
  const { thread, detail } = pressed;
  const document = await replyOf(scene, pressed);
  // The words come from outside; those that the answer offers are asked.
  if (document === undefined || !document.suggestions.includes(detail)) return refused(words.stale);
  const message = actMessage(scene, { kind: 'suggestion', thread, text: detail, agent: document.agent });
  return ask(scene, { kind: 'act', key: scene.key }, message);
}

async function askAnother(scene: Admitted, { thread, reply, inputs }: Press): Promise<Told> {
  const wanted = text(inputs[AGENT_INPUT]);
  if (wanted === undefined) return refused(words.chooseAgent);
  const agent = scene.deps.host.agents().find(({ name }) => name === wanted)?.name;
  if (agent === undefined) return refused(words.stale);
  const message = actMessage(scene, { kind: 'same', thread, text: '', agent });
  return ask(scene, { kind: 'act', key: scene.key, of: reply.turn }, message);
}

type Act = { readonly kind: 'act'; readonly key: string; readonly of?: ReplyRef['turn'] };

async function ask(scene: Admitted, origin: Act, message: ReturnType<typeof actMessage>): Promise<Told> {
  const told = await takeIn(scene, { kind: 'ask', origin, message }, words.asking);
  if (told.kind === 'said' && message.thread.kind === 'room')
    await scene.deps.engagement.begin(message.thread);
  return told;
}

/** The same question, answered as the person may have it answered, and for them alone. */
async function pressAskAsMe(scene: Admitted, press: Press): Promise<Told> {
  const { thread: from, reply } = press;
  const { deps, key, person } = scene;
  if (from.kind === 'direct') return refused(words.stale);
  const thread = deps.config.targeted
    ? privateThread({ thread: from, person: person.id, act: key })
    : await ownChat(scene);
  if (thread === undefined) return refused(words.notInstalled(deps.config.name));
  const document = await deps.host.reply(reply.turn, from);
  const message = actMessage(scene, { kind: 'mine', thread, text: '', agent: document?.agent });
  const origin = { kind: 'act', key, of: reply.turn, from } as const;
  const sentence = deps.config.targeted ? words.asking : words.askingMine;
  return takeIn(scene, { kind: 'ask', origin, message }, sentence);
}

/** The chat of the person with the app; nothing where they have not added it. */
async function ownChat({ place, person, deps }: Admitted): Promise<ThreadRef | undefined> {
  const { connector, places, host, signal } = deps;
  const { serviceUrl, bot, tenant } = place;
  const opened = await readPatiently(
    async () => {
      const sent = await connector.openChat(
        serviceUrl,
        { bot, id: person.account ?? person.id, tenant },
        signal,
      );
      return sent.kind === 'done' ? { kind: 'got', value: sent.id } : sent;
    },
    { clock: host.clock, signal },
  );
  if (opened.kind !== 'got' || opened.value === undefined) return undefined;
  const room = opened.value;
  await places.remember({ tenant, conversation: room, kind: 'direct', serviceUrl, bot });
  return { channel: CHANNEL, tenant, room, key: room, kind: 'direct' };
}

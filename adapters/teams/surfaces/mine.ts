/** The same question, answered as the person may have it answered, and for them alone. */

import type { ThreadRef } from '../../../src/kit.ts';
import { readPatiently } from '../api/patience.ts';
import { CHANNEL } from '../ids.ts';
import { privateThread } from '../private.ts';
import { actMessage, takeIn } from './acts.ts';
import { refused, type Told } from './answers.ts';
import type { Admitted, Press } from './parts.ts';
import { words } from './words.ts';

export async function pressMine(scene: Admitted, press: Press): Promise<Told> {
  const { thread: from, reply } = press;
  const { parts, key, person } = scene;
  if (from.kind === 'direct') return refused(words.stale);
  const thread = parts.config.targeted
    ? privateThread({ thread: from, person: person.id, act: key })
    : await ownChat(scene);
  if (thread === undefined) return refused(words.notInstalled(parts.config.name));
  const document = await parts.host.reply(reply.turn, from);
  const message = actMessage(scene, { kind: 'mine', thread, text: '', agent: document?.agent });
  const origin = { kind: 'act', key, of: reply.turn, from } as const;
  const sentence = parts.config.targeted ? words.asking : words.askingMine;
  return takeIn(scene, { kind: 'ask', origin, message }, sentence);
}

/** The chat of the person with the app; nothing where they have not added it. */
async function ownChat({ place, person, parts }: Admitted): Promise<ThreadRef | undefined> {
  const { connector, places, host, signal } = parts;
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

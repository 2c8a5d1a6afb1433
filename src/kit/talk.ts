/** Takes questions in for a channel: handles each command once, and tells the author why a message was refused. */

import type { Intake } from '../core/channel/events.ts';
import type { AdapterHost } from '../core/channel/host.ts';
import type { Message } from '../core/message.ts';
import { createEngagement, type Engagement } from '../core/stores/engagement.ts';
import { ownerIn } from '../core/stores/keyed.ts';
import { createOnce, type Once } from './once.ts';
import { openRefusals, type RefusalDeps } from './refusals.ts';

export interface Talk {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'intake' | 'agents' | 'mentionRule'>;
  readonly engagement: Engagement;
  readonly once: Once;
  /** Tells the author why the message was refused. Resolves once the note is stored; it is sent in the background. */
  refuse(message: Message, tellUser: string): Promise<void>;
}

interface TalkDeps extends Omit<RefusalDeps, 'once'> {
  readonly host: AdapterHost<unknown, unknown>;
  /** Names of the app, besides those of its agents. */
  readonly names?: readonly string[];
}

export async function openTalk({ host, background, signal, tell, names = [] }: TalkDeps): Promise<Talk> {
  const once = createOnce({ host, background, signal });
  const { refuse } = await openRefusals({ host, background, once, signal, tell });
  const engagement = createEngagement(host.state, () => [...names, ...host.agents().map(({ name }) => name)]);
  return { host, once, refuse, engagement };
}

type Offering = { readonly host: Pick<AdapterHost<unknown, unknown>, 'intake'> } & Pick<Talk, 'refuse'>;

/** Passes an event on. If the bridge refuses it, tells the author of the message why. */
export async function offer(event: Intake, message: Message, { host, refuse }: Offering): Promise<void> {
  const result = await host.intake(event);
  if (result.kind === 'refused') await refuse(message, result.tellUser);
}

/** Passes a question on. The inbox drops it if the channel delivers it twice. */
export function ask(message: Message, talk: Offering): Promise<void> {
  const origin = { kind: 'message', key: message.id, revision: message.revision } as const;
  return offer({ kind: 'ask', origin, message }, message, talk);
}

/** Maximum characters of a text that may be a command such as `stop`. */
export const COMMAND_CHARS = 40;

/**
 * Handles a message once, even if the channel delivers it again. Needed for commands, because the inbox drops only
 * repeated questions: a repeated `stop` would stop a later answer, and a repeated `regenerate` the new answer.
 */
export function onceFor(
  message: Message,
  { once }: Pick<Talk, 'once'>,
  work: () => Promise<void>,
): Promise<void> {
  const { thread, id, sender } = message;
  const key = JSON.stringify(['said', thread.tenant, thread.room, id]);
  return once(key, work, ownerIn(thread, sender.id));
}

/** Reads events as the bridge does: decoded, taken in, completed by Slack, and written as a question to an agent. */

import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { takeIn } from '../../../../adapters/slack/inbound/intake.ts';
import { createLookup } from '../../../../adapters/slack/inbound/lookup.ts';
import { createPeople } from '../../../../adapters/slack/inbound/people.ts';
import { decodeEvent } from '../../../../adapters/slack/receive/decode.ts';
import { createEngagement } from '../../../../src/core/stores/engagement.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import { type Message, turnId } from '../../../../src/kit.ts';
import { questionText } from '../../../../src/platform/gateways/agent-context.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { freeCalls } from '../free-calls.ts';
import { memoryKeyed } from '../keyed.ts';
import { openSmallSlack } from '../small-slack.ts';

export const acme: Workspace = { tenant: 'T1', botUser: 'UBOT', botId: 'BBOT', token: 'xoxb-1' };
const signal = new AbortController().signal;

export async function openReading() {
  const slack = await openSmallSlack();
  const clock = createVirtualClock();
  const workspaces = {
    find: async () => acme,
    ofTenant: async () => acme,
    disable: () => undefined,
    remove: async () => [],
  };
  const calls = freeCalls(slack.apiUrl, clock, workspaces);
  const lookup = createLookup({
    calls,
    workspaces,
    people: createPeople(calls, clock),
    clock,
    log: quiet,
    ruleOf: () => 'alone',
  });
  /** Resolves with the message that is asked; with undefined if the event is no question. */
  const take = async (event: object): Promise<Message | undefined> => {
    const asked: Message[] = [];
    const decoded = decodeEvent(event);
    if (decoded === undefined) return undefined;
    await takeIn(decoded, acme, {
      host: {
        mentionRule: () => 'alone',
        async intake(taken) {
          if (taken.kind === 'ask' || taken.kind === 'edit') asked.push(taken.message);
          return { kind: 'kept', turn: turnId('t'), ahead: 0 };
        },
        agents: () =>
          ['knowledge', 'other'].map((name) => ({
            name: agentName(name),
            description: '',
            seesImages: false,
          })),
      },
      engagement: createEngagement(memoryKeyed(new Map())),
      once: (_, work) => work(),
      refuse: async () => undefined,
    });
    return asked[0];
  };
  const complete = async (event: object): Promise<Message | undefined> => {
    const message = await take(event);
    return message && lookup.complete(message, signal);
  };
  return {
    slack,
    clock,
    lookup,
    take,
    complete,
    /** Resolves with all that the agent reads of an event; names of files included. */
    async question(event: object): Promise<string> {
      const message = await complete(event);
      if (message === undefined) return '';
      const files = message.files.flatMap(({ name, preview }) => [name, preview ?? '']);
      return [questionText(message), ...files].join('\n');
    },
  };
}

/** Returns an event of type `app_mention`, or with `type: 'message'` in a direct message. */
export const event = (over: object): object => ({
  type: 'app_mention',
  user: 'U1',
  ts: '1700000000.000100',
  channel: 'C1',
  channel_type: 'channel',
  team: 'T1',
  text: '<@UBOT>',
  ...over,
});
export const direct = (over: object): object =>
  event({ type: 'message', channel: 'D1', channel_type: 'im', text: 'well?', ...over });

export const rich = (...elements: readonly object[]) => [
  { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] },
];
export const bot = { type: 'user', user_id: 'UBOT' };
export const typed = (text: string, style: object = {}) => ({ type: 'text', text, style });

/** The interactions of Slack over HTTP, between a fake Slack and a bridge that records its calls. */

import { createCalls } from '../../../../adapters/slack/api/calls.ts';
import { createCaller, createSender } from '../../../../adapters/slack/api/sender.ts';
import type { Workspace, Workspaces } from '../../../../adapters/slack/api/workspace.ts';
import { createLookup } from '../../../../adapters/slack/inbound/lookup.ts';
import { createPeople } from '../../../../adapters/slack/inbound/people.ts';
import type { InteractionSettings } from '../../../../adapters/slack/interactions/deps.ts';
import {
  createInteractions,
  type Interactions,
} from '../../../../adapters/slack/interactions/interactions.ts';
import { decodeEvent } from '../../../../adapters/slack/receive/decode.ts';
import { decodeAct } from '../../../../adapters/slack/receive/decode-act.ts';
import { messageOf } from '../../../../adapters/slack/render/message.ts';
import { systemClock } from '../../../../src/clock.ts';
import type { Act } from '../../../../src/core/stores/audit.ts';
import { createBackground } from '../../../../src/kit/background.ts';
import { fragmentLink } from '../../../../src/kit/fragment-link.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { type AgentCard, agentName, type IntakeResult } from '../../../../src/kit/ladder.ts';
import { createOnce } from '../../../../src/kit/once.ts';
import {
  type Intake,
  type Message as KitMessage,
  type Log,
  type ReplyDocument,
  type ThreadRef,
  type Turn,
  turnId,
} from '../../../../src/kit.ts';
import { correctionsOf, type FakeCorrections } from '../../../fakes/corrections.ts';
import { permissionsOf, refusingPresses } from '../../../fakes/permissions.ts';
import { type FakeSlack, type Message, startFakeSlack } from '../../../fakes/slack/index.ts';
import type { FakePerson, FakeWorkspace } from '../../../fakes/slack/people/workspace.ts';
import type { Channel } from '../../../fakes/slack/shapes.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { memoryKeyed } from '../keyed.ts';

export interface Rig {
  readonly slack: FakeSlack;
  readonly workspace: FakeWorkspace;
  readonly installed: Workspace;
  readonly room: Channel;
  readonly asker: FakePerson;
  readonly interactions: Interactions;
  /** Completes a message through the interactions' look-up, as the bridge does when its turn starts. */
  completed(message: KitMessage): Promise<KitMessage>;
  /** The events that the bridge received. */
  readonly intakes: Intake[];
  /** Returns the bridge's result for an event; a test may replace it. */
  keeps: (event: Intake) => IntakeResult;
  readonly corrections: FakeCorrections;
  readonly replies: Map<string, ReplyDocument>;
  /** The thread in which a reply stands, by turn. A reply without an entry is found in every thread. */
  readonly stands: Map<string, ThreadRef>;
  readonly agents: AgentCard[];
  /** Ids of people whose presses the rules refuse. */
  readonly barred: Set<string>;
  /** The running turns of the workspace. */
  readonly running: Turn[];
  readonly state: Map<string, unknown>;
  readonly secrets: Map<string, unknown>;
  /**
   * Posts a question, in the room by default, and an answer in its thread, with all blocks that an answer can have.
   */
  answered(
    document?: Partial<ReplyDocument>,
    place?: Channel,
  ): Promise<{ question: Message; reply: Message }>;
  /** Returns the last text in any room that only this person saw. */
  told(person?: FakePerson): string | undefined;
  /** Resolves once all pending work has ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const TURN = turnId('0199d3a0-0000-7000-8000-000000000001');

export function card(name: string, description = `Knows about ${name}.`): AgentCard {
  return { name: agentName(name), description, seesImages: false };
}

export const documentOf = (over: Partial<ReplyDocument> = {}): ReplyDocument => ({
  ...blank,
  turn: TURN,
  agent: agentName('guide'),
  text: 'It is **blue** [1].',
  ...over,
});

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export async function openRig(
  settings: Partial<InteractionSettings> = {},
  permissions = permissionsOf(),
): Promise<Rig> {
  const slack = await startFakeSlack({
    ...{ echoes: false, triggerMs: 60_000, limits: { off: true } },
    // The tests run beside others, so a press may be acknowledged after Slack's 3 s.
    deliveryTimes: { answerWithinMs: 60_000, retriesMs: [] },
  });
  const workspace = slack.workspace();
  const asker = workspace.person({ name: 'mara' });
  const room = workspace.channel({ name: 'office', members: [asker.id] });
  const { id: tenant, botUser, botId } = workspace;
  const installed: Workspace = {
    tenant,
    botUser,
    botId,
    get token() {
      return workspace.token;
    },
  };
  const workspaces: Workspaces = {
    find: async () => installed,
    ofTenant: async (wanted) => (wanted === tenant ? installed : undefined),
    disable: () => undefined,
    remove: async () => [tenant],
  };
  const ended = new AbortController();
  const { apiUrl } = slack;
  const sender = createSender(createCaller(apiUrl, quiet), workspaces);
  const calls = createCalls(sender, systemClock, quiet, ended.signal);
  const state = new Map<string, unknown>();
  const secrets = new Map<string, unknown>();
  const intakes: Intake[] = [];
  const acts: Act[] = [];
  const replies = new Map<string, ReplyDocument>();
  const stands = new Map<string, ThreadRef>();
  const barred = new Set<string>();
  const agents = [card('guide'), card('ledger')];
  const running: Turn[] = [];
  const background = createBackground(quiet);
  const corrections = correctionsOf(permissions);
  const people = createPeople(calls, systemClock);
  const parts = { calls, workspaces, people, clock: systemClock, log: quiet, ruleOf: () => 'alone' as const };
  const { quotes } = createLookup(parts);
  const interactions = createInteractions(workspaces, {
    quotes,
    host: {
      intake: async (event) => {
        intakes.push(event);
        return rig.keeps(event);
      },
      agents: () => agents,
      refusal: permissions.refusal,
      pressRefusal: refusingPresses(barred),
      corrections,
      noteAct: async (act) => void acts.push(act),
      running: async () => running,
      reply: async (turn, { tenant: of, room: where, key }) => {
        const at = stands.get(turn) ?? { tenant: of, room: where, key };
        const document = replies.get(turn);
        if (document === undefined || at.tenant !== of || at.room !== where || at.key !== key)
          return undefined;
        return { ...document, askedBy: asker.id };
      },
      sourceLink: (source) => fragmentLink(source),
      state: memoryKeyed(state),
      secrets: memoryKeyed(secrets),
      clock: systemClock,
      log: quiet,
    },
    settings: { name: 'Parley', command: '/ask', prompts: [], ...settings },
    calls,
    apiUrl,
    people,
    background,
    once: createOnce({
      host: { state: memoryKeyed(state), clock: systemClock },
      background,
      signal: ended.signal,
    }),
    signal: ended.signal,
  });
  slack.events.use(async ({ kind, payload }, attempt) => {
    const act = kind === 'event' ? undefined : decodeAct(payload);
    const event = kind === 'event' ? decodeEvent((payload as { event: unknown }).event) : undefined;
    const body = act && (await interactions.act(act, installed));
    if (event !== undefined) await interactions.event(event, installed);
    attempt.status = 200;
    attempt.body = body === undefined ? '' : JSON.stringify(body);
  });
  const settled = async () => {
    await Promise.all(slack.deliveries.map(({ done }) => done));
    // A press starts work that starts further work, such as the post above an answer, or a title.
    for (let deep = 0; deep < 4; deep++) await background.settle();
  };
  const rig: Rig = {
    ...{
      slack,
      workspace,
      installed,
      room,
      asker,
      interactions,
      intakes,
      corrections,
      replies,
      stands,
      barred,
      agents,
      running,
      state,
      secrets,
      settled,
    },
    completed: (message) =>
      interactions
        .personal({
          complete: async (given) => given,
          sender: async ({ sender }) => sender,
          history: async () => [],
        })
        .complete(message, ended.signal),
    keeps: () => ({ kind: 'kept', turn: turnId('next'), ahead: 0 }),
    async answered(over = {}, place = room) {
      const kind = place.kind === 'im' ? 'direct' : 'room';
      const text = 'Which colour is it?';
      const question = kind === 'direct' ? asker.says(place, text) : asker.mentions(place, text);
      const document = documentOf(over);
      replies.set(document.turn, document);
      stands.set(document.turn, {
        channel: 'slack',
        tenant,
        room: place.id,
        key: question.ts,
        kind,
      });
      const reply = await postReply(place.id, document, question);
      return { question, reply };
    },
    told: (person = asker) =>
      [...workspace.state.channels.values()]
        .flatMap(({ messages, partner }) =>
          messages.filter(({ onlyFor, app }) => onlyFor === person.id || (app && partner === person.id)),
        )
        .toSorted((one, other) => one.postedAt - other.postedAt || one.ts.localeCompare(other.ts))
        .at(-1)?.text,
    async close() {
      ended.abort(new Error('closed'));
      await settled();
      await slack.close();
    },
  };
  return rig;

  async function postReply(at: string, document: ReplyDocument, question: Message): Promise<Message> {
    const { kind = 'room' } = stands.get(document.turn) ?? {};
    const look = {
      reply: { question: `${at}/${question.ts}`, room: at, key: question.ts, kind },
      images: {},
      footer: true,
      agents,
      isPrivate: false,
      offersAsSelf: true,
      offersCorrection: permissions.offers('correct'),
      named: false,
      showsTasks: false,
    };
    const shown = messageOf(document, { begin: { at: 0, fresh: true } }, look, 'rich');
    const args = { channel: at, thread_ts: question.ts, ...shown } as unknown as Plain;
    const sent = await sender.call(tenant, 'chat.postMessage', args, ended.signal);
    if (sent.kind !== 'done')
      throw new Error(`The reply was refused: ${JSON.stringify(slack.log.calls.at(-1)?.answer)}`);
    const reply = slack.messages(at).find(({ ts }) => ts === sent.body.ts);
    if (reply === undefined) throw new Error('The reply is not there.');
    return reply;
  }
}

/** Returns the action id of the first button of this kind in a message or view. */
export function buttonOf(blocks: readonly unknown[], kind: string): string {
  const found = [...JSON.stringify(blocks).matchAll(/"action_id":"([^"]+)"/g)].map(([, id = '']) => id);
  const id = found.find((each) => each === kind || each.startsWith(`${kind}:`));
  if (id === undefined) throw new Error(`There is no ${kind} among ${found.join(', ')}.`);
  return id;
}

/** Starts the adapter: connects Slack's events, their handlers and the calls of Slack. */

import { type Background, createBackground } from '../../src/kit/background.ts';
import { createOnce, type Once } from '../../src/kit/once.ts';
import { openRefusals, type Refusals } from '../../src/kit/refusals.ts';
import { createStreaming } from '../../src/kit/streaming.ts';
import {
  type AdapterHost,
  BridgeError,
  createEngagement,
  type IdentityProof,
  type Message,
  type Turn,
  withEvents,
} from '../../src/kit.ts';
import { createMovedRooms, inMovedRooms, type MovedRooms } from './api/moved-rooms.ts';
import { withPermits } from './api/permits.ts';
import { createSender, type Sender } from './api/sender.ts';
import type { Workspace, Workspaces } from './api/workspace.ts';
import type { SlackConfig } from './config.ts';
import { createHourglass, type Hourglass } from './inbound/hourglass.ts';
import { isIntakeEvent, type TalkDeps, takeIn } from './inbound/intake.ts';
import { createLookup } from './inbound/lookup.ts';
import { createPeople, type People } from './inbound/people.ts';
import { createCalls } from './interactions/calls.ts';
import { createInteractions, type Interactions } from './interactions/interactions.ts';
import { createLocate } from './interactions/locate.ts';
import { tellRefused } from './interactions/tell.ts';
import type { createIdentityProof } from './openid.ts';
import { createPrivatePlaces } from './private.ts';
import { createDispatcher, type Handlers } from './receive/dispatch.ts';
import type { EventOf } from './receive/events.ts';
import { mountRoutes } from './receive/http.ts';
import { createInstallations } from './receive/installations.ts';
import { createMembers, type Members } from './receive/members.ts';
import { createOAuth, type OAuth } from './receive/oauth.ts';
import { oneWorkspace } from './receive/one-workspace.ts';
import { createReach, type Reach } from './receive/reach.ts';
import { createReads, type Reads } from './receive/reads.ts';
import { changeAccess, isAccessEvent } from './receive/removal.ts';
import { createRevoked, type Revoked } from './receive/revoked.ts';
import { openSocket } from './receive/socket.ts';
import { botScopes } from './scopes.ts';
import { createWriter, type WriterDeps } from './write/index.ts';
import { createClosedRooms } from './write/perform.ts';

export type Running = Awaited<ReturnType<typeof startSlack>>;

interface Common {
  readonly config: SlackConfig;
  readonly host: AdapterHost;
  readonly reads: Reads;
  readonly reach: Reach;
  readonly members: Members;
  readonly background: Background;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

export async function startSlack(config: SlackConfig, host: AdapterHost) {
  const { clock, log } = host;
  const { apiUrl, appToken } = config;
  const ended = new AbortController();
  const { signal } = ended;
  // Checks tokens, so its own refusals are not checked again.
  const checks = createReads({ apiUrl, host });
  const revoked = createRevoked({
    reads: checks,
    setting: config.botToken && 'SLACK_BOT_TOKEN (slack.botToken)',
    clock,
    log,
    signal,
  });
  const moved = createMovedRooms(host.state);
  const members = createMembers(host.secrets);
  const reads = createReads({ apiUrl, host, isMistaken: revoked.isMistaken, moved });
  const background = createBackground(log);
  const reach = createReach(log);
  const common: Common = { config, host, reads, reach, members, background, signal };
  const { workspaces: all, oauth } = await findWorkspaces({ ...common, reads: checks }, revoked);
  const workspaces = revoked.guard(all);
  const people = createPeople(reads, clock);
  const sender = inMovedRooms(createSender({ apiUrl, workspaces, log }), moved, clock);
  const permitted = withPermits(sender, host);
  const calls = createCalls({ sender: permitted, clock, log, signal });
  const lookup = createLookup({ workspaces, people, reads, clock, log, ruleOf: host.mentionRule });
  const met = { workspaces, people, calls, quotes: lookup.quotes };
  const interactions = createInteractions({ ...common, ...met, settings: config, apiUrl, signal });
  const hourglass = await createHourglass({ sender: permitted, host, background, signal });
  const once = createOnce({ host, background, signal });
  const refusals = await openRefusals({
    ...{ host, background, once, signal },
    tell: (refused, words) => tellRefused(refused, words, calls),
  });
  const known = { ...met, interactions, hourglass, once, refusals, moved, ask: revoked.ask };
  const handlers = createHandlers(common, known);
  const locate = createLocate({ members, host });
  const stopping = () => signal.aborted || host.closing();
  const dispatcher = createDispatcher({ workspaces, handlers, locate, moved, clock, log, stopping });
  interactions.resume();
  mountRoutes(config, { host, dispatcher, oauth, stopping });
  const socket = appToken && openSocket({ token: appToken, apiUrl, dispatcher, clock, log, reach, stopping });
  await socket?.attempted;
  const writing = writerDeps(common, { sender, workspaces, permitted });
  return {
    reads,
    workspaces,
    lookup: interactions.personal(lookup),
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [interactions.events], clock),
    interactions,
    hourglass,
    answers: probing(sender, signal),
    proof: await loadProof(config, { apiUrl, workspaces, people, clock, log }),
    async stop(): Promise<void> {
      ended.abort();
      await socket?.stop();
      await background.settle();
    },
  };
}

function writerDeps(
  { config, host, background, signal }: Common,
  sending: Pick<WriterDeps, 'sender' | 'workspaces' | 'permitted'>,
): WriterDeps {
  const { clock, log } = host;
  return {
    ...sending,
    host,
    places: createPrivatePlaces(host.secrets),
    apiUrl: config.apiUrl,
    footer: config.footer,
    streamsIn: config.streaming,
    streaming: createStreaming(true, clock),
    stopped({ id: turn, message: { thread, sender: by } }) {
      background.run('a stop', () => host.intake({ kind: 'stop', thread, turn, by }));
    },
    closed: createClosedRooms({ sender: sending.permitted, background, log, signal }),
  };
}

/** Resolves with undefined if people cannot connect themselves by signing in to Slack. */
async function loadProof(
  { openId }: SlackConfig,
  deps: Omit<Parameters<typeof createIdentityProof>[0], 'config'>,
): Promise<IdentityProof | undefined> {
  if (openId === undefined) return undefined;
  const { createIdentityProof } = await import('./openid.ts');
  return createIdentityProof({ ...deps, config: openId });
}

/** Returns a function that resolves with false if Slack does not answer, or answers with a server error. */
const probing =
  (sender: Sender, signal: AbortSignal) =>
  async ({ thread }: Pick<Message, 'thread'>): Promise<boolean> =>
    (await sender.call(thread.tenant, 'auth.test', {}, signal)).kind !== 'unknown';

async function findWorkspaces(
  common: Common,
  revoked: Pick<Revoked, 'forget'>,
): Promise<{ workspaces: Omit<Workspaces, 'disable'>; oauth?: OAuth }> {
  const { config, host, reads, reach, members, background, signal } = common;
  const { clock, log, secrets } = host;
  const { botToken: token, oauth: given, apiUrl } = config;
  if (token !== undefined) {
    return { workspaces: await oneWorkspace({ token, reads, clock, reach, members, signal }) };
  }
  if (given === undefined) {
    throw new BridgeError(
      'config-invalid',
      'Slack needs SLACK_BOT_TOKEN or SLACK_CLIENT_ID, but neither is set.',
    );
  }
  const installations = createInstallations(secrets, clock, members);
  const scopes = botScopes(config);
  const installed = revoked.forget;
  const oauth = createOAuth({ config: given, scopes, installations, installed, apiUrl, clock, log });
  background.run('the renewal of tokens', () => oauth.renew(signal));
  return { workspaces: installations, oauth };
}

interface Known {
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly interactions: Interactions;
  readonly hourglass: Hourglass;
  readonly once: Once;
  readonly refusals: Refusals;
  readonly moved: MovedRooms;
  readonly ask: Revoked['ask'];
}

/**
 * Returns the key by which a repeated press of Slack's own Stop is recognized: its place and time, because Slack may send
 * an event again under another id (https://github.com/slackapi/node-slack-sdk/issues/2141). Without a time, returns the
 * event's id.
 */
const stopKey = (
  { conversation, threadTs, at }: EventOf<'stopped'>,
  { tenant }: Workspace,
  id: string | undefined,
): string | undefined => (at === undefined ? id : `stop ${tenant} ${at} ${conversation} ${threadTs}`);

function createHandlers({ host, members }: Common, known: Known): Handlers {
  const { workspaces, people, interactions, hourglass, once, moved } = known;
  const engagement = createEngagement(host.state, () => host.agents().map(({ name }) => name));
  // Slack delivers a mention as two events. `refuse` shows one note for both.
  const talk: TalkDeps = { host, engagement, once, refuse: known.refusals.refuse };
  const forget = async (tenant: string): Promise<void> => {
    people.forget(tenant);
    await hourglass.forget(tenant);
    await host.forgetTenant(tenant);
  };
  const access = { workspaces, members, ask: known.ask, forget, log: host.log };
  return {
    async event(event, from) {
      const { workspace, event: id } = from;
      if (isAccessEvent(event)) return changeAccess(event, from, access);
      if (event.kind === 'room-moved') return moved.move(workspace.tenant, event);
      const take = async () => {
        if (await interactions.event(event, workspace)) return;
        if (isIntakeEvent(event)) await takeIn(event, workspace, talk);
      };
      const key = event.kind === 'stopped' ? stopKey(event, workspace, id) : undefined;
      await (key === undefined ? take() : once(key, take));
    },
    act: (act, { workspace }) => interactions.act(act, workspace),
  };
}

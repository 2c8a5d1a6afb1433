/** Starts the adapter: connects Slack's events, their handlers and the calls of Slack. */

import {
  type Background,
  createBackground,
  createStreaming,
  openTalk,
  type RefusedQuestion,
  type Talk,
} from '../../src/kit/ladder.ts';
import { type AdapterHost, BridgeError, type Message, type Turn, withEvents } from '../../src/kit.ts';
import { createCalls } from './api/calls.ts';
import { createMovedRooms, inMovedRooms, type MovedRooms } from './api/moved-rooms.ts';
import { withPermits } from './api/permits.ts';
import { type Caller, createCaller, createSender } from './api/sender.ts';
import type { Workspace, Workspaces } from './api/workspace.ts';
import type { SlackConfig } from './config.ts';
import { createHourglass, type Hourglass } from './inbound/hourglass.ts';
import { takeIn } from './inbound/intake.ts';
import { createLookup } from './inbound/lookup.ts';
import { createPeople, type People } from './inbound/people.ts';
import { createInteractions, type Interactions } from './interactions/interactions.ts';
import { createLocate } from './interactions/locate.ts';
import { tellRefused } from './interactions/tell.ts';
import { createPrivatePlaces } from './private-places.ts';
import { createDispatcher, type Handlers } from './receive/dispatch.ts';
import type { EventOf } from './receive/events.ts';
import { mountRoutes } from './receive/http.ts';
import { createInstallations } from './receive/installations.ts';
import { createMembers, type Members } from './receive/members.ts';
import { createOAuth, type OAuth, type OAuthDeps } from './receive/oauth.ts';
import { type OneWorkspaceDeps, oneWorkspace } from './receive/one-workspace.ts';
import { createReach } from './receive/reach.ts';
import { type AccessDeps, changeAccess, isAccessEvent } from './receive/removal.ts';
import { createRevoked } from './receive/revoked.ts';
import { openSocket } from './receive/socket.ts';
import { botScopes } from './scopes.ts';
import { createWriter, type WriterDeps } from './write/index.ts';
import { createClosedRooms } from './write/perform.ts';

export async function startSlack(
  config: SlackConfig,
  host: AdapterHost,
  watch: (call: Caller) => Caller = (call) => call,
) {
  const { clock, log } = host;
  const { apiUrl, appToken, openId } = config;
  const ended = new AbortController();
  const { signal } = ended;
  const base = await openBase(config, host, signal, watch(createCaller(config.apiUrl, host.log)));
  const { background, call, reach, members, moved, revoked, workspaces, sender, permitted, calls, people } =
    base;
  const lookup = createLookup({ workspaces, people, calls, clock, log, ruleOf: host.mentionRule });
  // Slack delivers a mention as two events; the refusals show one note for both.
  const tell = (refused: RefusedQuestion, words: string) => tellRefused(refused, words, calls);
  const talk = await openTalk({ host, background, signal, tell });
  const interactions = createInteractions(workspaces, {
    host,
    people,
    calls,
    background,
    once: talk.once,
    apiUrl,
    signal,
    quotes: lookup.quotes,
    settings: config,
  });
  const hourglass = await createHourglass(permitted, { host, background, signal });
  const access = { workspaces, members, ask: revoked.ask, forget: forgetting(people, hourglass, host), log };
  const handlers = createHandlers(access, talk, interactions, moved);
  const locate = createLocate(members, host);
  const stopping = () => signal.aborted || host.closing();
  const dispatcher = createDispatcher({ workspaces, handlers, locate, moved, clock, log, stopping });
  interactions.resume();
  mountRoutes(config, host, dispatcher, { oauth: base.oauth, stopping });
  const socket = appToken && openSocket({ token: appToken, apiUrl, dispatcher, clock, log, reach, stopping });
  await socket?.attempted;
  const writing = writerDeps(config, host, base, signal);
  const proving = { apiUrl, call, workspaces, people, clock };
  return {
    calls,
    workspaces,
    lookup: interactions.personal(lookup),
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [interactions.events], clock),
    interactions,
    hourglass,
    /** Resolves with false if Slack does not answer, or answers with a server error. */
    answers: async ({ thread: { tenant } }: Pick<Message, 'thread'>) =>
      (await sender.call(tenant, 'auth.test', {}, signal)).kind !== 'unknown',
    /** Absent if people cannot connect themselves by signing in to Slack. */
    proof: openId && (await import('./openid.ts')).createIdentityProof(openId, proving),
    async stop(): Promise<void> {
      ended.abort();
      await socket?.stop();
      await background.settle();
    },
  };
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** Finds the workspaces, and opens the calls of Slack. */
async function openBase(config: SlackConfig, host: AdapterHost, signal: AbortSignal, call: Caller) {
  const { clock, log } = host;
  const setting = config.botToken && 'SLACK_BOT_TOKEN (slack.botToken)';
  const revoked = createRevoked({ call, setting, clock, log, signal });
  const moved = createMovedRooms(host.state);
  const members = createMembers(host.secrets);
  const background = createBackground(log);
  const reach = createReach(log);
  const finding = { call, reach, members, signal, installed: revoked.forget };
  const { workspaces: found, oauth } = await findWorkspaces(config, host, background, finding);
  const workspaces = revoked.guard(found);
  const sender = inMovedRooms(createSender(call, workspaces), moved, clock);
  const permitted = withPermits(sender, host);
  const calls = createCalls(permitted, clock, log, signal);
  return {
    background,
    call,
    reach,
    members,
    moved,
    revoked,
    workspaces,
    /** Undefined if the app is installed by its token. */
    oauth,
    sender,
    permitted,
    calls,
    people: createPeople(calls, clock),
  };
}

/** Returns a function that deletes all data of a tenant. */
const forgetting =
  (people: People, hourglass: Hourglass, host: AdapterHost) =>
  async (tenant: string): Promise<void> => {
    people.forget(tenant);
    await hourglass.forget(tenant);
    await host.forgetTenant(tenant);
  };

function writerDeps(
  { apiUrl, footer, streaming: streamsIn }: SlackConfig,
  host: AdapterHost,
  { sender, permitted, workspaces, background }: Base,
  signal: AbortSignal,
): WriterDeps {
  return {
    host,
    sender,
    permitted,
    workspaces,
    apiUrl,
    footer,
    streamsIn,
    places: createPrivatePlaces(host.secrets),
    streaming: createStreaming(true, host.clock),
    stopped({ id: turn, message: { thread, sender: by } }) {
      background.run('a stop', () => host.intake({ kind: 'stop', thread, turn, by }));
    },
    closed: createClosedRooms(permitted, background, host.log, signal),
  };
}

interface Finding extends Omit<OneWorkspaceDeps, 'token' | 'clock'>, Pick<OAuthDeps, 'installed'> {
  readonly members: Members;
}

async function findWorkspaces(
  config: SlackConfig,
  { clock, log, secrets }: AdapterHost,
  background: Background,
  { call, reach, members, signal, installed }: Finding,
): Promise<{ workspaces: Omit<Workspaces, 'disable'>; oauth?: OAuth }> {
  const { botToken: token, oauth: given, apiUrl } = config;
  if (token !== undefined) {
    return { workspaces: await oneWorkspace({ token, call, clock, reach, members, signal }) };
  }
  if (given === undefined) {
    throw new BridgeError(
      'config-invalid',
      'Slack needs SLACK_BOT_TOKEN or SLACK_CLIENT_ID, but neither is set.',
    );
  }
  const installations = createInstallations(secrets, clock, members);
  const scopes = botScopes(config);
  const oauth = createOAuth({ config: given, scopes, installations, installed, apiUrl, call, clock, log });
  background.run('the renewal of tokens', () => oauth.renew(signal));
  return { workspaces: installations, oauth };
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

function createHandlers(
  access: AccessDeps,
  talk: Talk,
  interactions: Interactions,
  moved: MovedRooms,
): Handlers {
  return {
    async event(event, from) {
      const { workspace, event: id } = from;
      if (isAccessEvent(event)) return changeAccess(event, from, access);
      if (event.kind === 'room-moved') return moved.move(workspace.tenant, event);
      const take = async () => {
        if (!(await interactions.event(event, workspace))) await takeIn(event, workspace, talk);
      };
      const key = event.kind === 'stopped' ? stopKey(event, workspace, id) : undefined;
      await (key === undefined ? take() : talk.once(key, take, { tenant: workspace.tenant }));
    },
    act: (act, { workspace }) => interactions.act(act, workspace),
  };
}

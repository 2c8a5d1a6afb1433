/** The real adapter, served over HTTP, with a fake Teams and a host that records the adapter's calls. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { TeamsConfig } from '../../../adapters/teams/config.ts';
import { createTeams } from '../../../adapters/teams/index.ts';
import { limits } from '../../../adapters/teams/limits.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Permissions } from '../../../src/core/access/permissions.ts';
import type { Asker } from '../../../src/core/asker.ts';
import type { SideCall } from '../../../src/core/channel/host.ts';
import { createBudgets } from '../../../src/core/pacing/budgets.ts';
import type { VerifiedToken } from '../../../src/core/stores/asker-tokens.ts';
import type { Act } from '../../../src/core/stores/audit.ts';
import { fragmentLink } from '../../../src/kit/fragment-link.ts';
import { agentName, type HttpHandler, type IntakeResult, type MentionRule } from '../../../src/kit/ladder.ts';
import {
  type AdapterHost,
  type Clock,
  type Intake,
  type ReplyDocument,
  type ThreadRef,
  turnId,
} from '../../../src/kit.ts';
import { correctionsOf, type FakeCorrections } from '../../fakes/corrections.ts';
import { createEngaging } from '../../fakes/engaging.ts';
import { permissionsOf, refusingPresses } from '../../fakes/permissions.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { type AppSettings, appPackage } from '../../fakes/teams-app.ts';
import { memoryKeyed } from '../slack/keyed.ts';

interface Replied {
  readonly thread: ThreadRef;
  readonly document: ReplyDocument;
  readonly askedBy?: string;
}

export interface Rig {
  readonly adapter: ReturnType<typeof createTeams>;
  readonly fake: FakeTeams;
  /** Address of the bot's messaging endpoint. */
  readonly url: string;
  readonly taken: Intake[];
  closing: boolean;
  readonly forgotten: string[];
  readonly acts: Act[];
  /** Tokens of people that the adapter verified. */
  readonly tokens: (Asker & VerifiedToken)[];
  /** People whose clients got no token. */
  readonly failed: string[];
  readonly corrections: FakeCorrections;
  readonly logged: readonly string[];
  readonly state: Map<string, unknown>;
  /** Finished replies and their threads, by turn. */
  readonly replies: Map<string, Replied>;
  /** Permits that were requested for messages outside replies. */
  readonly permits: SideCall[];
  /** Permits that were requested for look-ups. */
  readonly asked: SideCall[];
  /** Ids of people whose presses the rules refuse. */
  readonly barred: Set<string>;
  readonly refusals: (number | undefined)[];
  /** If true, no permit is given, as if answers used up the rate limits. */
  refuses: boolean;
  /** Ids of turns that wait behind others. */
  readonly waiting: Set<string>;
  kept: (event: Intake) => IntakeResult | Promise<IntakeResult>;
  /** Posts a body without a valid token. `authorization` is the whole header. */
  post(body: string | object, authorization?: string): Promise<{ status: number; text: string }>;
  /** Posts an activity with a valid token of the Bot Connector. */
  send(activity: object): Promise<{ status: number; text: string }>;
  /** Stops the adapter and starts it again with the same state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const secret = (text: string) => ({ reveal: () => text });

interface Options {
  readonly config?: Partial<TeamsConfig>;
  /** Settings of the uploaded app; default: those in `config`. */
  readonly app?: AppSettings;
  readonly clock?: Clock;
  /** The mention rule for all rooms. */
  readonly mention?: MentionRule;
  /** True to apply the bridge's rate limits; otherwise every call gets a permit immediately. */
  readonly budgeted?: boolean;
  readonly permissions?: Permissions;
}

export async function startRig(options: Options = {}): Promise<Rig> {
  const {
    config = {},
    app = config,
    clock = systemClock,
    budgeted,
    mention = 'alone',
    permissions = permissionsOf(),
  } = options;
  const logged: string[] = [];
  const log = (facts: object, text: string) => void logged.push(`${text} ${JSON.stringify(facts)}`);
  const state = new Map<string, unknown>();
  const replies: Rig['replies'] = new Map();
  const waiting = new Set<string>();
  const permits: SideCall[] = [];
  const asked: SideCall[] = [];
  const refusals: (number | undefined)[] = [];
  const budgets = createBudgets(limits, clock);
  const fake = await startFakeTeams({ clock });
  fake.upload(appPackage(fake.app.id, app));
  let handler: HttpHandler = (_, response) => void response.writeHead(404).end();
  let pages: HttpHandler = handler;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    request.url = path.replace(/^\/(?:api\/messages|teams\/sign-in)/, '');
    if (path.startsWith('/api/messages')) handler(request, response);
    else pages(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/messages`;
  fake.deliverTo(url);
  const seen = {
    taken: [] as Intake[],
    closing: false,
    refuses: false,
    forgotten: [] as string[],
    acts: [] as Act[],
    tokens: [] as (Asker & VerifiedToken)[],
    failed: [] as string[],
    kept: (): IntakeResult => ({ kind: 'kept', turn: turnId('t'), ahead: 0 }),
  };
  const corrections = correctionsOf(permissions);
  const barred = new Set<string>();
  const engaging = createEngaging(memoryKeyed(state));
  const host: AdapterHost = {
    async intake(event) {
      seen.taken.push(event);
      return engaging.noted(event, await (seen as Pick<Rig, 'kept'>).kept(event));
    },
    mount: (path, given) => {
      if (path === '/api/messages') handler = given;
      else pages = given;
    },
    link: () => undefined,
    linkPath: () => '/media/x',
    sourceLink: (source) => fragmentLink(source),
    receipt: async () => [],
    agents: () => [{ name: agentName('knowledge'), description: 'Knows', seesImages: false }],
    mentionRule: () => mention,
    refusal: permissions.refusal,
    pressRefusal: refusingPresses(barred),
    corrections,
    askers: {
      keep: async (asker, token) => void seen.tokens.push({ ...asker, ...token }),
      fail: async ({ person }) => void seen.failed.push(person),
    },
    noteAct: async (act) => void seen.acts.push(act),
    otherRights: () => true,
    state: memoryKeyed(state),
    secrets: memoryKeyed(),
    forgetTenant: async (tenant) => void seen.forgotten.push(tenant),
    forgetRoom: async (tenant, room) => void seen.forgotten.push(`${tenant} ${room}`),
    async reply(turn, { room, key }) {
      const found = replies.get(turn);
      if (found?.thread.room !== room || found.thread.key !== key) return undefined;
      return { ...found.document, ...(found.askedBy !== undefined && { askedBy: found.askedBy }) };
    },
    waits: async (turn) => waiting.has(turn),
    pending: async () => true,
    running: async () => [],
    messagesOfOthers: async () => new Set(),
    async permit(call, waitMs, signal) {
      const asks = call.family === 'asking' || call.family === 'members';
      (asks ? asked : permits).push(call);
      if (budgeted) return budgets.permitSideCall(call, waitMs, signal);
      const { refuses } = seen as Pick<Rig, 'refuses'>;
      if (refuses) return undefined;
      return { answered: (refusedMs) => void (asks || refusals.push(refusedMs)) };
    },
    permitAtOnce: () => ({ answered: () => undefined }),
    closing: () => seen.closing,
    openMedia: () => Promise.reject(new Error('none')),
    log: { debug: () => undefined, info: log, warn: log, error: log },
    clock,
  };
  const [password = ''] = fake.app.secrets;
  const adapter = createTeams({
    cloud: 'Public',
    appId: fake.app.id,
    tenant: fake.tenant().id,
    credential: { kind: 'password', password: secret(password) },
    name: 'Parley',
    streaming: true,
    prompts: [],
    allMessages: false,
    targeted: false,
    extendedMarkdown: false,
    services: fake.services,
    // The pages of a sign-in by hand are on the same server.
    ...(config.singleSignOn !== undefined && { publicUrl: new URL(url).origin }),
    ...config,
  });
  await adapter.start(host);
  const post: Rig['post'] = async (body, authorization) => {
    const response = await fetch(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(authorization !== undefined && { authorization }),
      },
    });
    return { status: response.status, text: await response.text() };
  };
  return Object.assign(seen, {
    ...{
      adapter,
      barred,
      corrections,
      fake,
      url,
      logged,
      state,
      replies,
      waiting,
      permits,
      asked,
      refusals,
      post,
    },
    send: (activity: object) => post(activity, fake.inbound.authorize({ ...activity })),
    async restart() {
      await adapter.stop();
      await adapter.start(host);
    },
    async close() {
      await adapter.stop();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await fake.close();
      expect(fake.log.violations).toEqual([]);
    },
  });
}

/** The adapter as the bridge starts it, served over HTTP. Its host records the adapter's calls. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SLACK_API, type SlackConfig } from '../../../adapters/slack/config.ts';
import { createSlack } from '../../../adapters/slack/index.ts';
import type { Permissions } from '../../../src/core/access/permissions.ts';
import type { SideCall } from '../../../src/core/channel/host.ts';
import type { Act } from '../../../src/core/stores/audit.ts';
import { fragmentLink } from '../../../src/kit/fragment-link.ts';
import { agentName, type HttpHandler, type IntakeResult } from '../../../src/kit/ladder.ts';
import { type AdapterHost, type Intake, type Turn, turnId } from '../../../src/kit.ts';
import { Secret } from '../../../src/secret.ts';
import { correctionsOf } from '../../fakes/corrections.ts';
import { createEngaging } from '../../fakes/engaging.ts';
import { permissionsOf } from '../../fakes/permissions.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';
import { documentOf } from './interactions/rig.ts';
import { memoryKeyed } from './keyed.ts';
import { SECRET, signed } from './small-slack.ts';

export interface Rig {
  readonly adapter: ReturnType<typeof createSlack>;
  readonly url: string;
  readonly taken: Intake[];
  closing: boolean;
  readonly forgotten: string[];
  readonly acts: Act[];
  /** Permits that were requested for calls outside replies. */
  readonly left: SideCall[];
  readonly logged: readonly string[];
  readonly secrets: Map<string, unknown>;
  readonly state: Map<string, unknown>;
  /** Milliseconds that each change of the state takes. */
  changeMs: number;
  kept: (event: Intake) => IntakeResult | Promise<IntakeResult>;
  /** Tenants of the finished replies, by turn. */
  readonly finished: Map<string, string>;
  /** Running turns, by tenant. */
  readonly running: Map<string, readonly Turn[]>;
  /** Sends a signed body as Slack does. Resolves with the HTTP status. */
  send(body: object): Promise<number>;
  close(): Promise<void>;
}

export const secret = (text: string) => new Secret(text);

export async function startRig(
  config: Partial<SlackConfig>,
  {
    clock,
    secrets = new Map(),
    state = new Map(),
    permissions = permissionsOf(),
  }: {
    clock: VirtualClock;
    secrets?: Map<string, unknown>;
    state?: Map<string, unknown>;
    permissions?: Permissions;
  },
): Promise<Rig> {
  const logged: string[] = [];
  const log = (facts: object, text: string) => void logged.push(`${text} ${JSON.stringify(facts)}`);
  let handler: HttpHandler = (_, response) => void response.writeHead(404).end();
  const rig = {
    taken: [] as Intake[],
    closing: false,
    forgotten: [] as string[],
    acts: [] as Act[],
    left: [] as SideCall[],
    logged,
    secrets,
    state,
    changeMs: 0,
    finished: new Map<string, string>(),
    running: new Map<string, readonly Turn[]>(),
    kept: (): IntakeResult => ({ kind: 'kept', turn: turnId('t'), ahead: 0 }),
  };
  const leave = (call: SideCall) => {
    rig.left.push(call);
    return { answered: () => undefined };
  };
  const kept = memoryKeyed(state);
  const engaging = createEngaging(kept);
  const host: AdapterHost = {
    async intake(event) {
      rig.taken.push(event);
      return engaging.noted(event, await (rig as Pick<Rig, 'kept'>).kept(event));
    },
    mount: (path, given) => {
      if (path === '/slack') handler = given;
    },
    link: () => 'https://bridge.test/media/x',
    linkPath: () => '/media/x',
    sourceLink: (source) => fragmentLink(source),
    waits: async () => false,
    pending: async () => true,
    running: async (tenant) => rig.running.get(tenant) ?? [],
    messagesOfOthers: async () => new Set(),
    permit: async (call) => leave(call),
    permitAtOnce: leave,
    receipt: async () => [],
    agents: () => [{ name: agentName('knowledge'), description: 'Knows', seesImages: false }],
    mentionRule: () => 'alone',
    refusal: permissions.refusal,
    pressRefusal: async () => undefined,
    corrections: correctionsOf(permissions),
    askers: { keep: async () => undefined, fail: async () => undefined },
    noteAct: async (act) => void rig.acts.push(act),
    otherRights: () => true,
    state: {
      ...kept,
      async change(...given) {
        if (rig.changeMs > 0) await clock.wait(rig.changeMs);
        return kept.change(...given);
      },
    },
    secrets: memoryKeyed(secrets),
    forgetTenant: async (tenant) => void rig.forgotten.push(tenant),
    forgetRoom: async () => undefined,
    reply: async (turn, { tenant }) =>
      rig.finished.get(turn) === tenant ? documentOf({ turn, agent: agentName('knowledge') }) : undefined,
    closing: () => rig.closing,
    openMedia: () => Promise.reject(new Error('none')),
    log: { debug: () => undefined, info: log, warn: log, error: log },
    clock,
  };
  const adapter = createSlack({
    apiUrl: SLACK_API,
    name: 'Parley',
    command: '/ask',
    footer: true,
    prompts: [],
    streaming: 'always',
    email: false,
    agentNames: false,
    publicUrl: undefined,
    oauth: undefined,
    openId: undefined,
    signingSecret: secret(SECRET),
    ...config,
  });
  const server = createServer((request, response) => {
    request.url = (request.url ?? '').replace(/^\/slack/, '');
    handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await adapter.start(host);
  return Object.assign(rig, {
    adapter,
    url,
    async send(sent: object) {
      const body = JSON.stringify(sent);
      const headers = signed(body, { at: clock.now() });
      const response = await fetch(`${url}/slack/events`, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    },
    async close() {
      await adapter.stop();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
}

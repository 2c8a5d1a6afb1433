/**
 * A bridge with the console, Slack, Teams and, if prosody is installed, XMPP. People sign in to the console with an
 * OpenID provider, and may read different documents of the sandbox.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/clock.ts';
import { api, createPlatform, fileFromDisk, waitIndexed } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';
import { freePort } from '../../bench/free-ports.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { quiet } from '../../fakes/quiet.ts';
import { demoApp, type FakeSlack, startFakeSlack } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { xmppEntry } from '../../fakes/xmpp/entry.ts';
import { roomOf } from '../../fakes/xmpp/person.ts';
import { DOMAIN, missing, PASSWORD, startServer, type XmppServer } from '../../fakes/xmpp/servers.ts';
import { type ParleyInside, runInside } from './parley-inside.ts';
import { makeDataFolder } from './running-parley.ts';

/** A word of each document. Everyone may read the first one, and only the administrator the last one. */
export const OPEN = 'opal';
export const STAFF = 'saffron';
export const BOARD = 'silver';
/** The documents by their workspaces. No role may read the workspace `board`. */
const documents = { folder: OPEN, handbook: STAFF, board: BOARD };

/** Returns the words of the documents that something shown contains. */
export const seenIn = (shown: unknown): readonly string[] =>
  Object.values(documents).filter((word) => JSON.stringify(shown).includes(word));

export const XMPP_BRIDGE = `parley@${DOMAIN}`;
export const XMPP_ROOM = roomOf('reception');

export interface RightsStage {
  readonly url: string;
  readonly provider: RealProvider;
  readonly slack: FakeSlack;
  readonly teams: FakeTeams;
  /** Absent if prosody is not installed. */
  readonly xmpp: XmppServer | undefined;
  /** Starts the bridge again, with these settings of Teams. */
  restart(settings: object): Promise<void>;
  close(): Promise<void>;
}

/** The platform accounts: Ada is an administrator, Ben is one of the staff, and the agent's account may read least. */
const accounts = { ada: 'admin', ben: 'member-one', agent: 'member-two' };

export async function openRightsStage(): Promise<RightsStage> {
  const sandbox = await startSandbox({ port: 0, memory: true, knowledge: [], options: { paceMs: 0 } });
  const [data, slack, teams, port] = await Promise.all([
    makeDataFolder(),
    startFakeSlack({ triggerMs: 60_000 }),
    startFakeTeams(),
    freePort(),
  ]);
  const url = `http://127.0.0.1:${port}`;
  await Promise.all([sandbox.indexed, addDocuments(sandbox, data.path)]);
  const [provider, xmpp] = await Promise.all([
    openProvider(url),
    missing('prosody') === undefined ? startServer('prosody', ['parley', 'ada', 'ben']) : undefined,
  ]);
  const file = join(data.path, 'parley.yaml');
  const environment = {
    ...{ PARLEY_CONFIG: file, PLATFORM_BASE_URL: sandbox.url, PORT: String(port) },
    ...{ SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: slack.workspace().token },
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
  };
  const start = async (settings: object): Promise<ParleyInside> => {
    const own = { teams: { services: teams.services, ...settings }, ...settingsOfXmpp(xmpp) };
    writeFileSync(file, JSON.stringify({ ...settingsOf(url, provider), ...own }));
    const parley = await runInside(data, environment);
    slack.deliverTo(`${parley.url}/slack/events`);
    teams.deliverTo(`${parley.url}/api/messages`);
    return parley;
  };
  let parley = await start({});
  return {
    ...{ url, provider, slack, teams, xmpp },
    async restart(settings) {
      await parley.stop();
      parley = await start(settings);
    },
    async close() {
      await parley.stop();
      await Promise.all([slack.close(), teams.close(), provider.close(), sandbox.close(), xmpp?.stop()]);
      await data.remove();
    },
  };
}

/** Only the console knows the people. In the other channels, they have no account until they link themselves. */
function settingsOf(publicUrl: string, { issuer }: RealProvider): object {
  const credential = {
    kind: 'client-account',
    ...sandboxCatalogue.openClient,
    account: accounts.agent,
  };
  const table = (['ada', 'ben'] as const).map((name) => ({
    ...{ channel: 'console', email: `${name}@example.org`, account: accounts[name] },
  }));
  return {
    agents: { knowledge: { interface: 'open', expertCode: 'knowledge', credential } },
    identity: { table, linkDays: 30 },
    server: { publicUrl },
    console: { signIn: { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } },
  };
}

const settingsOfXmpp = (xmpp: XmppServer | undefined): object =>
  xmpp === undefined
    ? {}
    : {
        channels: [
          xmppEntry({
            ...{ jid: XMPP_BRIDGE, password: PASSWORD, server: `127.0.0.1:${xmpp.port}`, tls: 'none' },
            ...{ rooms: [XMPP_ROOM], messagesPerSecond: 100 },
          }),
        ],
      };

/** Each document answers the same question with another word. */
async function addDocuments(sandbox: RunningSandbox, folder: string): Promise<void> {
  const { client, secret } = sandboxCatalogue.openClient;
  const deps = { clock: systemClock, log: quiet, random: Math.random };
  const platform = createPlatform({ baseUrl: sandbox.url }, deps);
  const open = { kind: 'client-account', client, secret: new Secret(secret), account: accounts.ada } as const;
  const admin = platform.client({ open });
  const [{ id: classificationId = '' } = {}] = sandboxCatalogue.categories;
  const workspaceTypeId = sandboxCatalogue.workspaceType.id;
  await admin.call(api.createWorkspace, { name: 'board', workspaceTypeId, classificationId });
  for (const [workspace, word] of Object.entries(documents)) {
    const path = join(folder, `${workspace}.md`);
    const text = `A visitor pass of the colour ${word} is valid for one day.`;
    writeFileSync(path, `# Passes of the ${workspace}\n\n## How long is a visitor pass valid?\n\n${text}\n`);
    const { fileId = '' } = await admin.call(api.uploadFile, { workspace, file: await fileFromDisk(path) });
    const { chunkingState } = await waitIndexed(admin, { workspace, fileId });
    if (chunkingState !== 'success') throw new Error(`The sandbox could not read ${workspace}.md.`);
  }
  await platform.close();
}

/** Tests the clouds of Teams: each has its own services and refuses the tokens of the others. */

import { expect, test } from 'vitest';
import { createHosts } from '../../../adapters/teams/api/hosts.ts';
import { createHttp } from '../../../adapters/teams/api/http.ts';
import { cloudOf, directoryOf } from '../../../adapters/teams/clouds.ts';
import type { CloudName } from '../../../adapters/teams/config.ts';
import { createTokens } from '../../../adapters/teams/sign-in/tokens.ts';
import { systemClock } from '../../../src/clock.ts';
import { startFakeTeams } from '../../fakes/teams/index.ts';
import { secret, startRig } from './rig.ts';

interface Known {
  readonly cloud: CloudName;
  readonly issuer: string;
  readonly login: string;
  readonly openId: string;
  readonly graph: string;
  readonly connectors: readonly string[];
  readonly drive: string;
}

const known: readonly Known[] = [
  {
    cloud: 'Public',
    issuer: 'https://api.botframework.com',
    login: 'https://login.microsoftonline.com',
    openId: 'https://login.botframework.com',
    graph: 'https://graph.microsoft.com',
    connectors: ['smba.trafficmanager.net', 'smba.infra.gcc.teams.microsoft.com'],
    drive: 'example-my.sharepoint.com',
  },
  {
    cloud: 'USGov',
    issuer: 'https://api.botframework.us',
    login: 'https://login.microsoftonline.us',
    openId: 'https://login.botframework.azure.us',
    graph: 'https://graph.microsoft.us',
    connectors: ['smba.infra.gov.teams.microsoft.us'],
    drive: 'example-my.sharepoint.us',
  },
  {
    cloud: 'USGovDoD',
    issuer: 'https://api.botframework.us',
    login: 'https://login.microsoftonline.us',
    openId: 'https://login.botframework.azure.us',
    graph: 'https://dod-graph.microsoft.us',
    connectors: ['smba.infra.dod.teams.microsoft.us'],
    drive: 'example-my.sharepoint-mil.us',
  },
  {
    cloud: 'China',
    issuer: 'https://api.botframework.azure.cn',
    login: 'https://login.partner.microsoftonline.cn',
    openId: 'https://login.botframework.azure.cn',
    graph: 'https://microsoftgraph.chinacloudapi.cn',
    connectors: ['frontend.botapi.msg.infra.teams.microsoftonline.cn'],
    drive: 'example-my.sharepoint.cn',
  },
];

test.each(known)('$cloud: has its own services, and gives no other cloud a token', (one) => {
  const { cloud, connectors, drive, graph, ...addresses } = one;
  expect(cloudOf({ cloud })).toMatchObject(addresses);
  const hosts = createHosts(cloudOf({ cloud }));
  expect(hosts.graph).toBe(graph);
  for (const host of connectors) expect(hosts.serviceOf(`https://${host}/teams/`)).toBe('connector');
  expect(hosts.serviceOf(`https://${drive}/file`)).toBe('files');
  for (const other of known.filter((each) => each !== one)) {
    const theirs = [...other.connectors, other.drive, new URL(other.graph).host];
    for (const host of theirs) expect(hosts.serviceOf(`https://${host}/`), host).toBeUndefined();
  }
});

test.each(known)('$cloud: accepts requests of its own Bot Connector only', async ({ cloud, issuer }) => {
  const rig = await startRig({ config: { cloud } });
  try {
    const person = rig.fake.tenant().person();
    rig.fake.deliverTo('http://127.0.0.1:1/nobody');
    const activity = { ...person.says(person.dm(), 'How long is the notice period?').delivery?.activity };
    const post = (iss: string) =>
      rig.post(activity, rig.fake.inbound.authorize(activity, { claims: { iss } }));
    for (const foreign of new Set(known.map((each) => each.issuer)))
      if (foreign !== issuer) expect((await post(foreign)).status, foreign).toBe(401);
    expect(rig.taken).toEqual([]);
    expect((await post(issuer)).status).toBe(200);
    expect(rig.taken).toHaveLength(1);
  } finally {
    await rig.close();
  }
});

test.each(known)('$cloud: requests tokens for its own services', async ({ cloud, issuer, graph }) => {
  const fake = await startFakeTeams({});
  const http = createHttp();
  try {
    const credential = { kind: 'password', password: secret([...fake.app.secrets][0] ?? '') } as const;
    const config = {
      cloud,
      appId: fake.app.id,
      tenant: fake.tenant().id,
      credential,
      services: fake.services,
    };
    const tokens = createTokens({ config: { ...rest, ...config }, http, clock: systemClock });
    const { signal } = new AbortController();
    await tokens.get('connector', signal);
    await tokens.get('graph', signal);
    expect(fake.login.issued.map(({ audience }) => audience)).toEqual([issuer, graph]);
  } finally {
    await http.close();
    await fake.close();
  }
});

const rest = {
  name: 'Parley',
  streaming: true,
  prompts: [],
  email: false,
  allMessages: false,
  targeted: false,
  extendedMarkdown: false,
};

test.each([
  ['Public', 'https://login.microsoftonline.com/t/v2.0', 'https://sts.windows.net/t/'],
  ['USGov', 'https://login.microsoftonline.us/t/v2.0', 'https://sts.windows.net/t/'],
  ['China', 'https://login.partner.microsoftonline.cn/t/v2.0', 'https://sts.chinacloudapi.cn/t/'],
] as const)('people’s tokens of %s have its issuers, also if a test replaces the login', (cloud, v2, v1) => {
  const services = { login: 'http://127.0.0.1:1' } as never;
  for (const more of [{}, { services }])
    expect(directoryOf({ cloud, tenant: 't', ...more }).issuers).toEqual([v2, v1]);
  expect(directoryOf({ cloud, tenant: 't', services }).metadata).toContain('http://127.0.0.1:1/t/');
});

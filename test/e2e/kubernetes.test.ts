/**
 * Starts the bridge with the variables, secrets and parley.yaml of `docs/kubernetes.yaml`, on a real PostgreSQL. Slack and
 * Teams are fakes. Differs from a pod in its addresses: those of the fakes, and a folder in place of the mounted ones.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../bench/free-ports.ts';
import { documentOf, mounted, podOf } from '../docs/kubernetes.ts';
import { startPlatform } from '../fakes/history/platform.ts';
import { missing, startPostgres } from '../fakes/postgres/server.ts';
import { startFakeSlack } from '../fakes/slack/index.ts';
import { startFakeTeams } from '../fakes/teams/index.ts';
import { type RunningParley, runParley } from './house/running-parley.ts';

const { container } = podOf();
const { startupProbe, livenessProbe, readinessProbe } = container;
const probes = [startupProbe, livenessProbe, readinessProbe].map((each) => each?.httpGet?.path ?? '');
const paths = (documentOf('Ingress').spec?.rules ?? []).flatMap(({ http }) =>
  (http?.paths ?? []).map(({ path = '' }) => path),
);

describe.skipIf(missing !== undefined)('the bridge of the manifest', () => {
  const opened = new AsyncDisposableStack();
  let parley: RunningParley;
  let url: string;
  let data: string;

  beforeAll(async () => {
    const postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const slack = opened.adopt(await startFakeSlack(), (it) => it.close());
    const teams = opened.adopt(await startFakeTeams(), (it) => it.close());
    const contents = {
      'database-url': await postgres.database(),
      'slack-bot-token': slack.workspace().token,
      'slack-signing-secret': slack.app.signingSecret,
      'microsoft-app-id': teams.app.id,
      'microsoft-app-tenant-id': teams.tenant().id,
      'microsoft-app-password': [...teams.app.secrets][0] ?? '',
      'metrics-token': 'token-of-prometheus',
    };
    // With single sign-on, the bridge also has the page below /teams/sign-in.
    const more = { services: teams.services, singleSignOn: { resource: `api://botid-${teams.app.id}` } };
    const given = mounted(
      contents,
      (settings) =>
        `${settings.replace('https://platform.example.org', platform.url)}\nteams: ${JSON.stringify(more)}\n`,
    );
    opened.defer(given.remove);
    data = join(given.folder, 'data');
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const own = { PORT: String(port), PARLEY_DATA: data, SLACK_API_URL: slack.apiUrl };
    const folder = { path: data, remove: async () => undefined };
    parley = await runParley(folder, { ...given.environment, ...own });
    opened.defer(() => parley.kill());
  });
  afterAll(() => opened.disposeAsync());

  test.each(probes)('answers the probe %s', async (path) => {
    expect((await fetch(`${url}${path}`)).status).toBe(200);
  });

  test('shows its metrics only with the token of the Secret', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const headers = { authorization: 'Bearer token-of-prometheus' };
    expect(await (await fetch(`${url}/metrics`, { headers })).text()).toContain('parley_replicas 1');
  });

  test.each(paths)('has something at %s, which the Ingress forwards', async (path) => {
    expect(await (await fetch(`${url}${path}`)).text()).not.toContain('"not-found"');
  });

  test('has nothing at other addresses, and the Ingress forwards none of the operator', async () => {
    expect(await (await fetch(`${url}/console`)).text()).toContain('"not-found"');
    const forwarded = [...probes, '/metrics'].filter((own) => paths.some((path) => own.startsWith(path)));
    expect(forwarded).toEqual([]);
  });

  test('keeps nothing in the folder of its pod, and ends after SIGTERM', async () => {
    expect(await parley.terminate()).toBe(0);
    expect(existsSync(data) ? readdirSync(data) : []).toEqual([]);
  });
});

/** Tests the commands for Teams: writing the app's file, and the doctor's findings. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { imageSize } from 'image-size';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type RunningSandbox, startSandbox } from '../../sandbox/index.ts';
import { type Outcome, runHere } from '../fakes/run-here.ts';
import { type FakeTeams, startFakeTeams } from '../fakes/teams/index.ts';
import { refusals } from '../unit/teams/app/schema.ts';
import { type DataFolder, makeDataFolder, runParley } from './house/running-parley.ts';

const SECRET = 'fake~secret-of-the-app.0123456789';

let data: DataFolder;
let fake: FakeTeams;
let sandbox: RunningSandbox;
beforeAll(async () => {
  data = await makeDataFolder();
  fake = await startFakeTeams();
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [] });
});
afterAll(async () => {
  await fake.close();
  await sandbox.close();
  await data.remove();
});

const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Outcome> => {
  const own = { PORT: '0', PARLEY_SANDBOX_PORT: String(sandbox.port), PARLEY_DATA: data.path };
  return runHere(args, { environment: { ...own, ...more } });
};

const credentials = (over: Record<string, string> = {}) => ({
  MICROSOFT_APP_ID: fake.app.id,
  MICROSOFT_APP_TENANT_ID: fake.tenant().id,
  MICROSOFT_APP_PASSWORD: SECRET,
  ...over,
});

describe('parley manifest teams', () => {
  it('writes an app that Teams accepts: the manifest, and icons of the right sizes', async () => {
    const path = join(data.path, 'parley-teams.zip');
    const environment = credentials({ PARLEY_PUBLIC_URL: 'https://parley.example.org' });
    const { code, out, err } = await run(['manifest', 'teams', '--out', path], environment);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Upload it in Teams');
    const files = unzipSync(new Uint8Array(await readFile(path)));
    const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString());
    expect(refusals(manifest)).toEqual([]);
    expect(manifest.bots[0].botId).toBe(fake.app.id);
    const sizeOf = (name: string) => imageSize(files[name] ?? new Uint8Array());
    expect(sizeOf(manifest.icons.color)).toMatchObject({ type: 'png', width: 192, height: 192 });
    expect(sizeOf(manifest.icons.outline)).toMatchObject({ type: 'png', width: 32, height: 32 });
    expect(Object.keys(files)).toHaveLength(3);
  });

  it('prints the manifest without any setting, and the missing values on stderr', async () => {
    const { code, out, err } = await run(['manifest', 'teams']);
    expect(code).toBe(0);
    expect(refusals(JSON.parse(out))).toEqual([]);
    expect(err).toMatch(/MICROSOFT_APP_ID[\s\S]*PARLEY_PUBLIC_URL/);
  });

  it.each<[string, string[], number, RegExp]>([
    ['an app without its bot', ['--out', 'x.zip'], 78, /teams\.appId is not set.*MICROSOFT_APP_ID/],
    ['an invalid version', ['--app-version', 'two'], 78, /three numbers/],
    ['an unknown channel', ['teems'], 64, /Known channels: slack, teams/],
  ])('refuses %s', async (_, args, exit, says) => {
    const channel = args[0]?.startsWith('--') ? ['teams'] : [];
    const { code, out, err } = await run(['manifest', ...channel, ...args]);
    expect({ code, out }).toEqual({ code: exit, out: '' });
    expect(err).toMatch(says);
    expect(err).not.toContain('    at ');
  });

  it('names a file that cannot be written', async () => {
    const environment = credentials({ PARLEY_PUBLIC_URL: 'https://parley.example.org' });
    const { code, err } = await run(['manifest', 'teams', '--out', '/nowhere/x.zip'], environment);
    expect(code).toBe(64);
    expect(err).toMatch(/\/nowhere\/x\.zip cannot be written \(ENOENT\)/);
  });

  it('explains that Slack’s manifest is a text', async () => {
    const { code, err } = await run(['manifest', 'slack', '--out', 'x.zip']);
    expect(code).toBe(64);
    expect(err).toContain('--out and --app-version are for the app of Teams');
  });

  it('refuses a name that is too long for Teams, and shows where it is set', async () => {
    const file = join(data.path, 'long.yaml');
    await writeFile(file, stringify({ teams: { enabled: false, name: 'x'.repeat(31) } }));
    const { code, err } = await run(['manifest', 'teams', '--config', file]);
    expect(code).toBe(78);
    expect(err).toMatch(/long\.yaml:\d+:\d+: teams\.name is .*at most 30 characters/);
  });
});

describe('parley doctor', () => {
  /** Writes a configuration file, because no environment variables replace the addresses of Microsoft's services. */
  const configured = async (over: object): Promise<string> => {
    const file = join(data.path, 'teams.yaml');
    const { services } = fake;
    await writeFile(file, stringify({ teams: { services }, ...over }));
    return file;
  };
  const findings = ({ out }: Outcome): Record<string, { ok: boolean; detail: string }> =>
    Object.fromEntries(JSON.parse(out).findings.map((each: { what: string }) => [each.what, each]));

  it('signs in at Microsoft, calls the running bridge, and exits with 1 for a fault of the app', async () => {
    const services = await configured({});
    const other = await makeDataFolder();
    const bridge = await runParley(other, { ...credentials(), PARLEY_CONFIG: services });
    const file = await configured({ server: { publicUrl: bridge.url } });
    const ran = await run(['doctor', '--json', '--config', file], credentials());
    await bridge.terminate();
    await other.remove();
    const found = findings(ran);
    expect(found).toMatchObject({
      Teams: { ok: true, detail: expect.stringContaining('on for the directory') },
      'Teams sign-in': { ok: true },
      "Teams' keys": { ok: true },
      'Teams clock': { ok: true },
      'Teams messages': { ok: true },
      // The only fault: the bridge has no https address that Teams can reach.
      'Teams app': { ok: false, detail: expect.stringContaining('Give an https address') },
    });
    expect(ran.code).toBe(1);
    expect(ran.out + ran.err).not.toContain(SECRET);
  });

  it('names a wrong secret and a bridge that does not run, each with its cure', async () => {
    const file = await configured({ server: { publicUrl: 'http://127.0.0.1:1' } });
    const ran = await run(['doctor', '--config', file], credentials({ MICROSOFT_APP_PASSWORD: 'wrong' }));
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/FAULT {2}Teams sign-in: .*AADSTS7000215.*MICROSOFT_APP_PASSWORD/);
    expect(ran.out).toMatch(/FAULT {2}Teams messages: .*does not answer.*Start the bridge/);
  });

  it('reports only that Teams and Slack are off', async () => {
    const found = findings(await run(['doctor', '--json']));
    expect(Object.keys(found).filter((what) => /Teams|Slack|PARLEY_KEY/.test(what))).toEqual([
      'Slack',
      'Teams',
    ]);
  });
});

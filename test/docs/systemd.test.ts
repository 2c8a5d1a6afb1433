/** The unit of docs/operating.md. systemd does not run here, so the test checks the contents of `docs/parley.service`. */

import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fences } from './pages.ts';

const root = new URL('../../', import.meta.url).pathname;
const unit = readFileSync(`${root}docs/parley.service`, 'utf8');
const page = readFileSync(`${root}docs/operating.md`, 'utf8');
/** Returns all values of an option. */
const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the unit', () => {
  it('starts the bridge as `npm start` does, with the Node that the lock file pins', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const [folder] = valuesOf('WorkingDirectory');
    expect(valuesOf('ExecStart')).toEqual([`${folder}/node_modules/node/bin/${scripts.start}`]);
    accessSync(`${root}node_modules/node/bin/node`);
  });

  it('gives the bridge the settings and secrets of the page', () => {
    const settings = fences(page).find(({ body }) => body.startsWith('data: /var/lib/'))?.body ?? '';
    expect(valuesOf('StateDirectory').map((name) => `data: /var/lib/${name}\n`)).toEqual([
      settings.slice(0, settings.indexOf('\n') + 1),
    ]);
    const loaded = valuesOf('LoadCredential').map((value) => value.split(':'));
    const read = [...settings.matchAll(/file: \/run\/credentials\/parley\.service\/(\S+)/g)];
    expect(loaded.map(([name]) => name)).toEqual(read.map(([, name]) => name));
    for (const [, path] of loaded) expect(page).toContain(`/dev/stdin ${path}`);
    const [variable = ''] = valuesOf('Environment');
    expect(page).toContain(`Write \`${variable.replace('PARLEY_CONFIG=', '')}\``);
  });

  it('lets running answers end, and does not repeat a start that a faulty configuration ended', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(22);
    expect(valuesOf('KillMode')).toEqual(['mixed']);
    expect(valuesOf('RestartPreventExitStatus')).toEqual(['78']);
    expect(page).toContain('| 78 | the configuration has faults');
  });

  it('does not forbid what V8 needs', () => expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]));
});

describe.skipIf(withoutSystemd())('systemd-analyze', () => {
  let file: string;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-unit-'));
    file = join(folder, 'parley.service');
    // `verify` looks for the program, and Parley is not in /opt.
    writeFileSync(file, unit.replaceAll('/opt/parley/', root));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const analyze = (...args: readonly string[]) =>
    spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });

  it('verifies the unit, and refuses an unknown option', () => {
    expect(analyze('verify')).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(file, unit.replaceAll('/opt/parley/', root).replace('ProtectSystem=', 'ProtectSystems='));
    expect(analyze('verify').stderr).toContain('ProtectSystems');
    writeFileSync(file, unit.replaceAll('/opt/parley/', root));
  });

  it('rates the exposure as the page says', () => {
    const [, rate] = /rates its\s+exposure as ([\d.]+) of 10/.exec(page) ?? [];
    const { stdout } = analyze('security', '--offline=true', '--no-pager');
    expect(/Overall exposure level for parley.service: ([\d.]+)/.exec(stdout)?.[1]).toBe(rate);
  });
});

/** True if `systemd-analyze` is missing, or is not the version whose rates the page quotes. */
function withoutSystemd(): boolean {
  try {
    return !execFileSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).startsWith('systemd 252 ');
  } catch {
    return true;
  }
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { manifestText, teamsPackage } from '../../../../adapters/teams/app/package.ts';
import { appSettings } from './settings.ts';

const file = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../../../manifests/teams/${name}`, import.meta.url)));
const icons = { color: file('color.png'), outline: file('outline.png') };

test('the package contains the manifest and its icons at the top', () => {
  const files = unzipSync(teamsPackage(appSettings(), icons));
  expect(Object.keys(files).toSorted()).toEqual(['color.png', 'manifest.json', 'outline.png']);
  const manifest = Buffer.from(files['manifest.json'] ?? []).toString();
  expect(manifest).toBe(manifestText(appSettings()));
  expect(JSON.parse(manifest).icons).toEqual({ color: 'color.png', outline: 'outline.png' });
  expect(files['color.png']).toEqual(icons.color);
  expect(files['outline.png']).toEqual(icons.outline);
});

test('the same app gives the same file at any time and in any time zone', () => {
  const here = Buffer.from(teamsPackage(appSettings(), icons)).toString('base64');
  const source = `
    import { teamsPackage } from './adapters/teams/app/package.ts';
    import { readFileSync } from 'node:fs';
    const file = (name) => new Uint8Array(readFileSync('manifests/teams/' + name));
    const made = teamsPackage(${JSON.stringify(appSettings())}, { color: file('color.png'), outline: file('outline.png') });
    process.stdout.write(Buffer.from(made).toString('base64'));`;
  const elsewhere = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: new URL('../../../../', import.meta.url).pathname,
    env: { ...process.env, TZ: 'Pacific/Kiritimati' },
  });
  expect(elsewhere.toString()).toBe(here);
});

describe('the package is not made without', () => {
  test.each([
    ['appId', /teams\.appId is not set\. .*MICROSOFT_APP_ID/],
    ['publicUrl', /server\.publicUrl is not set\. Set PARLEY_PUBLIC_URL/],
  ] as const)('%s', (name, said) => {
    const { [name]: _, ...without } = appSettings();
    expect(() => teamsPackage(without as never, icons)).toThrow(said);
  });

  test('values that Teams accepts', () => {
    expect(() => teamsPackage(appSettings({ version: '1.0' }), icons)).toThrow(/the version is "1\.0"/);
  });
});

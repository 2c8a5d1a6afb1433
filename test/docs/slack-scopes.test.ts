/** Checks that docs/slack.md gives a reason for each scope of the Slack app's manifest, and for no other scope. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { manifestText } from '../../adapters/slack/manifest.ts';

interface Manifest {
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
}

const page = readFileSync(new URL('../../docs/slack.md', import.meta.url), 'utf8');
const [section = ''] = page.split('## Permissions (scopes) of the app\n')[1]?.split(/^## /m) ?? [];
const rows = [...section.matchAll(/^\| `([\w:.]+)` \| (.+?) \| \S.* \|$/gm)].map(
  ([, scope = '', when = '']) => ({
    scope,
    when,
  }),
);

/** Returns the scopes of the manifest, with or without those that further settings need. */
function scopesOf(more: boolean): readonly string[] {
  const settings = { name: 'Parley', command: '/ask', prompts: [], socketMode: true, installable: false };
  const manifest: Manifest = parse(manifestText({ ...settings, email: more, agentNames: more }));
  return manifest.oauth_config.scopes.bot;
}

test('the scopes that the manifest always contains are listed', () => {
  const always = rows.filter(({ when }) => when === 'always').map(({ scope }) => scope);
  expect(always.toSorted()).toEqual(scopesOf(false).toSorted());
});

test('the scopes that settings add are listed with these settings', () => {
  expect(rows.map(({ scope }) => scope).toSorted()).toEqual(scopesOf(true).toSorted());
});

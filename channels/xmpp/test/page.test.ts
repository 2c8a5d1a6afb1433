import { readFileSync } from 'node:fs';
import { z } from 'parley/kit';
import { expect, test } from 'vitest';
import { channel } from '../channel.ts';
import { xmppSettings } from '../settings.ts';

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the page lists every setting with its description', () => {
  const { properties = {} } = z.toJSONSchema(xmppSettings({}), { io: 'input', target: 'draft-7' });
  const settings = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    typeof schema === 'object' ? schema.description : undefined,
  ]);
  const rows = [...page.matchAll(/^\| (`[a-z]\w+`) \|[^|\n]+\|[^|\n]*\| (.+) \|$/gm)].map(
    ([, ...cells]) => cells,
  );
  expect(rows).toEqual(settings);
});

test('the page lists every variable with its setting', () => {
  const variables = Object.entries(channel.variables).map(([name, { setting }]) => [name, setting]);
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(variables);
});

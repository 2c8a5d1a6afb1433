/** Requests with odd fields: the recorded payloads with one field broken. None gets a 5xx, and none stops the next one. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { seeded } from '../../../fakes/seeded.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { recorded, recordedNames } from '../recorded.ts';
import { type Rig, secret, startRig } from '../rig.ts';
import { openSmallSlack, type SmallSlack } from '../small-slack.ts';

const ODD: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  true,
  [],
  [null],
  {},
  { id: null },
  [[]],
  '\u0000',
];
/** Broken variants of each payload in one run. */
const VARIANTS = 40;

let slack: SmallSlack;
let rig: Rig;
beforeEach(async () => {
  slack = await openSmallSlack();
  slack.answers['auth.test'] = () => ({ ok: true, team_id: 'T0ACME', user_id: 'U0BOT', bot_id: 'B0BOT' });
  rig = await startRig({ botToken: secret('xoxb-1'), apiUrl: slack.apiUrl }, { clock: createVirtualClock() });
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

type Path = readonly string[];

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))];
}

function broken(value: unknown, [name, ...rest]: Path, odd: unknown): unknown {
  if (name === undefined) return odd;
  if (Array.isArray(value))
    return value.map((each, at) => (String(at) === name ? broken(each, rest, odd) : each));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: broken(fields[name], rest, odd) };
}

const seed = Number(process.env.PARLEY_SEED ?? Math.floor(Math.random() * 2 ** 31));

test.each(
  recordedNames,
)(`%s with one field broken is answered without a 5xx (PARLEY_SEED=${seed})`, async (name) => {
  const random = seeded(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const whole = recorded(name);
  const paths = pathsIn(whole).filter((path) => path.length > 0);
  for (let nth = 0; nth < VARIANTS; nth++) {
    const path = pick(paths);
    const odd = pick(ODD);
    const status = await rig.send(broken(whole, path, odd) as object);
    expect(status, `${path.join('.')} = ${JSON.stringify(odd)}`).toBe(200);
  }
  expect(rig.logged.filter((line) => /could not be (?:saved|handled)/.test(line))).toEqual([]);
  rig.taken.length = 0;
  const { event, ...rest } = recorded('app-mention');
  await rig.send({ ...rest, event: { ...(event as object), ts: '1793499999.000100' } });
  expect(rig.taken).toHaveLength(1);
});

test.each([
  { type: 'block_actions', user: { id: 'U1' } },
  { type: 'block_actions', user: null, actions: [{ action_id: 'a' }] },
  { type: 'block_actions', user: { id: 'U1' }, team: null, channel: null, actions: [null] },
  { type: 'view_submission', view: null, user: null },
  { type: 'message_action', message: null, channel: null, user: null },
  { type: 'interactive_message', actions: [] },
  { type: 'dialog_submission' },
  { type: 'workflow_step_edit', user: null },
  { command: '/ask' },
  { type: '<script>' },
])('%j is answered 200, and named once', async (body) => {
  expect([await rig.send(body), await rig.send(body)]).toEqual([200, 200]);
  const named = rig.logged.filter((line) => line.includes('cannot read'));
  expect(named).toHaveLength(1);
  expect(named[0]).not.toContain('<');
});

test.each(['view_closed', 'block_suggestion'])('%s needs no handling, and is not named', async (type) => {
  expect(await rig.send({ type, user: { id: 'U1' }, team: { id: 'T0ACME' } })).toBe(200);
  expect(rig.logged.filter((line) => line.includes('cannot read'))).toEqual([]);
});

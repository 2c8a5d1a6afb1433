import { expect, test } from 'vitest';
import type { Source, Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { createDispatcher, type Origin } from '../../../../adapters/slack/receive/dispatch.ts';
import type { SlackAct, SlackEvent } from '../../../../adapters/slack/receive/events.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { recorded, recordedNames } from '../recorded.ts';

const acme: Workspace = { tenant: 'T0ACME', botUser: 'U0BOT', botId: 'B0BOT', token: 'xoxb-secret' };

function rig() {
  const events: { event: SlackEvent; from: Origin }[] = [];
  const acts: SlackAct[] = [];
  const sources: Source[] = [];
  const warnings: string[] = [];
  const parts = {
    answer: undefined as object | undefined,
    fail: undefined as Error | undefined,
    find: async (source: Source): Promise<Workspace | undefined> =>
      source.team === 'T0ACME' || source.enterprise === 'E0ORG'
        ? { ...acme, tenant: source.team ?? '' }
        : undefined,
  };
  const warn = (_: object, text: string) => void warnings.push(text);
  const dispatcher = createDispatcher({
    workspaces: {
      find(source) {
        sources.push(source);
        return parts.find(source);
      },
      ofTenant: async () => acme,
      disable: () => undefined,
      remove: async () => [],
    },
    handlers: {
      async event(event, from) {
        if (parts.fail) throw parts.fail;
        events.push({ event, from });
      },
      async act(act) {
        if (parts.fail) throw parts.fail;
        acts.push(act);
        return parts.answer;
      },
    },
    locate: async (found) => found,
    moved: { firstId: async (_, room) => room },
    clock: createVirtualClock(),
    stopping: () => false,
    log: { debug: () => undefined, info: () => undefined, warn, error: warn },
  });
  return { dispatcher, events, acts, sources, warnings, parts };
}

const IGNORED = [
  'message-join',
  'message-unfurled',
  'tokens-revoked-of-person',
  'view-closed',
  'block-suggestion',
];
const ACTS = ['block-actions', 'view-submission', 'message-shortcut', 'global-shortcut', 'slash-command'];

test.each(recordedNames)('%s is decoded as recorded', async (name) => {
  const { dispatcher, events, acts } = rig();
  await dispatcher.deliver(recorded(name));
  expect(events.length).toBe(IGNORED.includes(name) || ACTS.includes(name) ? 0 : 1);
  expect(acts.length).toBe(ACTS.includes(name) ? 1 : 0);
  expect(events[0]?.event ?? acts[0]).toMatchSnapshot();
});

test('an event arrives with its id and its workspace', async () => {
  const { dispatcher, events } = rig();
  await dispatcher.deliver(recorded('agent-session-stopped'));
  expect(events[0]?.from).toEqual({
    workspace: acme,
    event: 'Ev0AGENTSES',
    at: 1_793_491_200,
    team: 'T0ACME',
  });
});

test('in an organization, the event’s own workspace is the tenant', async () => {
  const { dispatcher, events, sources } = rig();
  await dispatcher.deliver(recorded('org-wide-mention'));
  expect(sources).toEqual([{ team: 'T0BRANCH', enterprise: 'E0ORG', orgWide: true, room: 'C0FIELD' }]);
  expect(events[0]?.from.workspace.tenant).toBe('T0BRANCH');
});

test('the answer to an act becomes the acknowledgement', async () => {
  const { dispatcher, parts } = rig();
  parts.answer = { response_action: 'errors', errors: { note: 'Too long.' } };
  expect(await dispatcher.deliver(recorded('view-submission'))).toEqual(parts.answer);
  expect(await dispatcher.deliver(recorded('app-mention'))).toBeUndefined();
});

test.each([
  'app-mention',
  'block-actions',
  'slash-command',
  'view-submission',
  'app-uninstalled',
])('%s is not acknowledged if it cannot be stored', async (name) => {
  const { dispatcher, parts } = rig();
  parts.fail = new BridgeError('store-unavailable', 'The disk is full.');
  await expect(dispatcher.deliver(recorded(name))).rejects.toBe(parts.fail);
});

test('an event is not lost if the store cannot read the installation', async () => {
  const { dispatcher, parts } = rig();
  const failure = new BridgeError('store-unavailable', 'The store is closed.');
  parts.find = () => Promise.reject(failure);
  await expect(dispatcher.deliver(recorded('app-mention'))).rejects.toBe(failure);
});

test('an event of a workspace without the app is acknowledged, logged once, and dropped', async () => {
  const { dispatcher, events, warnings, parts } = rig();
  parts.find = async () => undefined;
  await dispatcher.deliver(recorded('app-mention'));
  await dispatcher.deliver(recorded('app-mention'));
  expect(events).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('has not installed the app')]);
});

test.each([
  {},
  { type: 'event_callback' },
  { event: 'x' },
  { event: null, team_id: 'T0ACME' },
  { actions: [] },
])('a body of an unknown form has no effect: %j', async (body) => {
  const { dispatcher, events, acts } = rig();
  await dispatcher.deliver(body).catch(() => undefined);
  expect([...events, ...acts]).toEqual([]);
});

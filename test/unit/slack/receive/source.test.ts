/** Where a request comes from: compared with Bolt, Slack's own framework, and where Bolt guesses or throws. */

import { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import { sourceOf } from '../../../../adapters/slack/receive/source.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { recorded, recordedNames } from '../recorded.ts';

/** Returns the source that Bolt passes to `authorize`; undefined if Bolt does not ask. */
async function boltsSource(body: Plain) {
  let found: { team?: string | undefined; enterprise?: string | undefined; orgWide: boolean } | undefined;
  const app = new App({
    receiver: { init: () => undefined, start: async () => undefined, stop: async () => undefined },
    authorize: async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
      found = { team: teamId, enterprise: enterpriseId ?? undefined, orgWide: isEnterpriseInstall };
      return {};
    },
    convoStore: false,
  });
  app.error(async () => undefined);
  await app.processEvent({ body, ack: async () => undefined });
  return found;
}

// Bolt does not ask for events about a removal.
const asked = recordedNames.filter((name) => !/^(?:app-uninstalled|tokens-revoked)/.test(name));
test.each(asked)('%s comes from the workspace that Bolt finds', async (name) => {
  const { team, enterprise, orgWide } = sourceOf(recorded(name));
  expect({ team, enterprise, orgWide }).toEqual(await boltsSource(recorded(name)));
});

const press = (over: object): Plain => ({
  type: 'block_actions',
  team: null,
  enterprise: { id: 'E1', name: 'Org' },
  is_enterprise_install: true,
  user: { id: 'U1', team_id: 'T3' },
  container: { type: 'message', channel_id: 'C1' },
  actions: [{ action_id: 'a' }],
  ...over,
});
const inOrg = { enterprise: 'E1', orgWide: true, room: 'C1' };

test.each<[string, object, object]>([
  ['without a team names no workspace, whatever the person’s own one is', {}, inOrg],
  ['by a person of the organization names no workspace', { user: { id: 'U1', team_id: 'E1' } }, inOrg],
  ['with the organization as its team names no workspace', { team: { id: 'E1' } }, inOrg],
  ['with a team names it', { team: { id: 'T7', enterprise_id: 'E1' } }, { ...inOrg, team: 'T7' }],
  ['with `null` as its channel', { channel: null }, inOrg],
  ['without a person', { user: undefined }, inOrg],
  [
    'in a view names the view’s workspace',
    { view: { team_id: 'T7', app_installed_team_id: 'E1' } },
    { ...inOrg, team: 'T7' },
  ],
  ['that lacks the mark of an organization', { is_enterprise_install: undefined }, inOrg],
  [
    'in a single workspace names the person’s workspace',
    { enterprise: null, is_enterprise_install: false },
    { team: 'T3', orgWide: false, room: 'C1' },
  ],
])('a press %s', (_, over, source) => {
  expect(sourceOf(press(over))).toEqual(source);
});

test('an authorization without a team counts for the team of the event', () => {
  const body = { team_id: 'T1', authorizations: [{ user_id: 'U0', is_bot: true }], event: { channel: 'C1' } };
  expect(sourceOf(body)).toEqual({ team: 'T1', orgWide: false, room: 'C1' });
});

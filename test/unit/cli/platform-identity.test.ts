import { describe, expect, it } from 'vitest';
import { identityText, ofConfig, ofSandbox } from '../../../src/cli/platform/access.ts';
import type { Config } from '../../../src/config/schema.ts';
import { api } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';

const secret = new Secret('secret-0123456789');
const open = { client: 'c', secret, account: 'operator' };
const lite = { clientId: 'l', clientSecret: secret, username: 'lite-operator' };
const agents = {
  guide: {
    platform: 'main',
    credential: { kind: 'client-account', client: 'c', secret, account: 'guide-service' },
  },
  desk: {
    platform: 'main',
    credential: { kind: 'client-token', clientId: 'l', clientSecret: secret, username: 'desk-service' },
  },
  keyed: { platform: 'main', credential: { kind: 'api-key', key: new Secret('key-of-an-agent-1') } },
};
const config = (credentials: object): Config =>
  ({ platforms: { main: { credentials } }, agents }) as unknown as Config;
const idpTokenFile = new Secret('idp-token-0123456789');

const who = (
  credentials: object,
  options: { agent?: string; as?: string } = {},
  operation: Parameters<typeof identityText>[0] = api.me,
) => identityText(operation, ofConfig(config(credentials), options), options.as);

describe('the identity of a platform command', () => {
  it.each([
    ['the Open API client', { open }, {}, 'Asking as operator (platform.credentials).'],
    [
      'the identity-provider token before the client',
      { open, idpTokenFile },
      {},
      'Asking as the person of the identity-provider token (platform.credentials).',
    ],
    [
      'the client for another account, because a token stands for one',
      { open, idpTokenFile },
      { as: 'alice' },
      'Asking as alice (platform.credentials).',
    ],
    [
      'a named agent',
      { open, idpTokenFile },
      { agent: 'guide' },
      'Asking as guide-service (agents.guide.credential).',
    ],
    ['no agent without its name', {}, {}, undefined],
  ])('%s', (_name, credentials, options, text) => {
    expect(who(credentials, options)).toBe(text);
  });

  it("an agent's credential is never used without its name, whatever the operation", () => {
    const { credentials } = ofConfig(config({}), {});
    expect(Object.values(credentials).filter((each) => each !== undefined)).toEqual([]);
    const keyed = ofConfig(config({ open, lite }), { agent: 'keyed' }).credentials;
    expect([keyed.apiKey, keyed.open, keyed.lite]).toEqual([
      agents.keyed.credential.key,
      undefined,
      undefined,
    ]);
  });

  it.each(['main', 'lab'])('names the setting below `platforms` if there are several (%s)', (platform) => {
    const several = {
      platforms: { main: { credentials: { open } }, lab: { credentials: { open } } },
      agents,
    };
    expect(ofConfig(several as unknown as Config, { platform }).from).toBe(
      `platforms.${platform}.credentials`,
    );
  });

  it('the sentence about the identity also names the lite interface, a key and the administrator', () => {
    expect(who({ lite }, {}, api.liteUser)).toBe('Asking as lite-operator (platform.credentials).');
    expect(who({ lite }, { agent: 'desk' }, api.liteUser)).toBe(
      'Asking as desk-service (agents.desk.credential).',
    );
    expect(who({ apiKey: secret }, {}, api.chatByKey)).toBe(
      'Asking with the API key (platform.credentials).',
    );
    expect(who({ adminToken: secret }, {}, api.listClients)).toBe(
      "Asking with the administrator's token (platform.credentials).",
    );
    expect(who({ open }, {}, api.loginWithClient)).toBeUndefined();
    expect(identityText(api.me, ofSandbox({}), undefined)).toBe('Asking as admin (the sandbox).');
  });
});

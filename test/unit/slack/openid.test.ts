/** Slack's OpenID sign-in at the wire: what the adapter asks Slack, and which proofs it refuses. */

import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../src/errors.ts';
import { makeSigner, type Signer, signedWithPublicKey, unsigned } from '../../fakes/oidc/forger.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { type Rig, secret, startRig } from './rig.ts';
import { checked, openSmallSlack, type SmallSlack } from './small-slack.ts';

const CLIENT = '1.2';
const NONCE = 'the nonce of this attempt';
const REDIRECT = 'https://parley.example/connect/slack';
const query = new URLSearchParams({ code: 'a code', state: 'checked elsewhere' });

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;
let signer: Signer;

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock({ start: Date.now() });
  signer = await makeSigner('one');
  publish(signer);
  rig = await startRig(
    {
      apiUrl: slack.apiUrl,
      botToken: secret('xoxb-1'),
      openId: { clientId: CLIENT, clientSecret: secret('client-canary'), redirectUri: REDIRECT },
    },
    { clock },
  );
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

/** Replaces the keys that Slack publishes. */
function publish(...signers: readonly Signer[]): void {
  const keys = Promise.all(
    signers.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, use: 'sig' })),
  );
  let ready: object = { keys: [] };
  void keys.then((all) => {
    ready = { keys: all };
  });
  slack.answers['/openid/connect/keys'] = () => ready;
}

const origin = () => new URL(slack.apiUrl).origin;
const usual = (): JWTPayload => {
  const now = Math.floor(clock.now() / 1_000);
  return {
    ...{ iss: origin(), sub: 'S1', aud: CLIENT, nonce: NONCE, iat: now, exp: now + 300 },
    ...{ 'https://slack.com/user_id': 'U1', 'https://slack.com/team_id': 'T1', name: 'Ada' },
  };
};
const sign = (claims: JWTPayload, by = signer) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: by.kid }).sign(by.privateKey);
const send = (id_token: unknown) => {
  slack.answers['openid.connect.token'] = () => ({
    ...{ ok: true, access_token: 'xoxp-canary', token_type: 'Bearer', id_token },
  });
};
const proof = () => {
  const made = rig.adapter.abilities.identityProof;
  if (made === undefined) throw new Error('Slack offers no proof.');
  return made;
};
/** Resolves with the error of a proof that is refused. */
async function refusal(token: unknown, nonce = NONCE): Promise<BridgeError> {
  send(token);
  const thrown = await proof()
    .finish(query, nonce)
    .catch((error: unknown) => error);
  if (thrown instanceof BridgeError) return thrown;
  throw new Error(`Not refused: ${JSON.stringify(thrown)}`);
}

describe('the sign-in', () => {
  it('goes to Slack with state and nonce, without PKCE and without the e-mail address', () => {
    const address = new URL(proof().begin({ state: 's', nonce: 'n' }));
    expect(address.origin + address.pathname).toBe(`${origin()}/openid/connect/authorize`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      ...{ response_type: 'code', scope: 'openid profile', client_id: CLIENT, state: 's', nonce: 'n' },
      ...{ redirect_uri: REDIRECT, team: 'T1' },
    });
  });

  it('names the person whom Slack confirms, as the app sees them', async () => {
    send(await sign(usual()));
    expect(await proof().finish(query, NONCE)).toEqual({
      tenant: 'T1',
      person: expect.objectContaining({ id: 'U1', name: 'Name of U1', standing: 'member' }),
    });
    expect(slack.called('openid.connect.token').map(({ args }) => args)).toEqual([
      {
        ...{ client_id: CLIENT, client_secret: 'client-canary', grant_type: 'authorization_code' },
        ...{ code: 'a code', redirect_uri: REDIRECT },
      },
    ]);
    expect(rig.logged.join()).not.toContain('canary');
  });

  it('is not offered without its settings', async () => {
    const other = await startRig({ apiUrl: slack.apiUrl, botToken: secret('xoxb-1') }, { clock });
    expect(other.adapter.abilities).not.toHaveProperty('identityProof');
    await other.close();
  });

  it('accepts a key that Slack published after the last sign-in', async () => {
    send(await sign(usual()));
    await proof().finish(query, NONCE);
    signer = await makeSigner('two');
    publish(signer);
    send(await sign(usual()));
    // Polls in real time, because jose measures the pause between two requests for keys by the system's clock.
    await expect
      .poll(
        () =>
          proof()
            .finish(query, NONCE)
            .catch(() => 'refused'),
        { timeout: 20_000, interval: 500 },
      )
      .toMatchObject({ tenant: 'T1' });
  });
});

describe('a proof is refused', () => {
  const changed = (change: object) => sign({ ...usual(), ...change });
  const forgeries: Record<string, () => Promise<unknown>> = {
    'of another issuer': () => changed({ iss: 'https://slack.com.evil.example' }),
    'for another app': () => changed({ aud: '3.4' }),
    'for this app and another one': () => changed({ aud: [CLIENT, '3.4'] }),
    'of another attempt': () => changed({ nonce: 'another nonce' }),
    'with the empty nonce that Slack sends if none was given': () => changed({ nonce: '' }),
    'without a nonce': () => changed({ nonce: undefined }),
    'that has expired': () => changed({ exp: Math.floor(clock.now() / 1_000) - 31 }),
    'that never expires': () => changed({ exp: undefined }),
    'that is not valid yet': () => changed({ nbf: Math.floor(clock.now() / 1_000) + 60 }),
    'without a person': () => changed({ 'https://slack.com/user_id': undefined }),
    'with a person who is no text': () => changed({ 'https://slack.com/user_id': ['U1'] }),
    'without a workspace': () => changed({ 'https://slack.com/team_id': undefined }),
    'without a signature': async () => unsigned(usual()),
    'signed with the public key as a secret': () => signedWithPublicKey(usual(), signer),
    'signed with a foreign key under the known id': async () =>
      sign(usual(), { ...(await makeSigner('one')), kid: 'one' }),
    'signed with an unknown key': async () => sign(usual(), await makeSigner('unknown')),
    'that is no token': async () => 'not.a.token',
    'that is missing': async () => undefined,
  };
  it.each(Object.entries(forgeries))('%s', async (_what, forge) => {
    const { code, message, tellUser } = await refusal(await forge());
    expect(code).toBe('sign-in-refused');
    expect(tellUser).toContain('nothing was connected');
    expect(`${message}${rig.logged.join()}`).not.toMatch(/canary|eyJ/);
    expect(slack.called('users.info')).toEqual([]);
  });

  it('with an empty nonce on both sides', async () => {
    expect((await refusal(await changed({ nonce: '' }), '')).code).toBe('sign-in-refused');
  });

  it.each([
    ['of another workspace', { 'https://slack.com/team_id': 'T2' }],
    [
      'of another workspace of the same organization',
      { 'https://slack.com/team_id': 'T2', 'https://slack.com/enterprise_id': 'E1' },
    ],
  ])('%s, where the app is not installed', async (_what, claims) => {
    const { code, tellUser } = await refusal(await changed(claims));
    expect(code).toBe('sign-in-refused');
    expect(tellUser).toContain('where this app is not installed');
    expect(slack.called('users.info')).toEqual([]);
  });

  it.each([
    [{ ok: false, error: 'user_not_found' }],
    [{ ok: true, user: { id: 'U2', team_id: 'T1', real_name: 'Another' } }],
  ])('of a person whom the app does not see: %j', async (answer) => {
    slack.answers['users.info'] = () => answer;
    expect((await refusal(await sign(usual()))).code).toBe('sign-in-refused');
  });

  it.each([
    'invalid_code',
    'code_already_used',
    'bad_client_secret',
    'bad_redirect_uri',
  ])('if Slack answers %s', async (error) => {
    slack.answers['openid.connect.token'] = () => ({ ok: false, error });
    const thrown: unknown = await proof()
      .finish(query, NONCE)
      .catch((each: unknown) => each);
    expect(thrown).toMatchObject({ code: 'sign-in-refused', message: expect.stringContaining(error) });
  });

  it.each([
    ['the person pressed Cancel', 'error=access_denied&state=s'],
    ['there is no code', 'state=s'],
    ['there are two codes', 'code=a&code=b&state=s'],
    ['the code is too long', `code=${'a'.repeat(1_001)}`],
  ])('without a call of Slack if %s', async (_what, written) => {
    const thrown = proof().finish(new URLSearchParams(written), NONCE);
    await expect(thrown).rejects.toMatchObject({ code: 'sign-in-refused' });
    expect(slack.called('openid.connect.token')).toEqual([]);
  });
});

describe('while Slack is down', () => {
  it.each(['internal_error', 'fatal_error', 'ratelimited'])('%s is an outage', async (error) => {
    slack.answers['openid.connect.token'] = () => ({ ok: false, error });
    const thrown = proof().finish(query, NONCE);
    await expect(thrown).rejects.toMatchObject({ code: 'sign-in-unavailable' });
  });

  it('missing keys are an outage, and the next attempt works', async () => {
    const { answers } = slack;
    const keys = answers['/openid/connect/keys'];
    answers['/openid/connect/keys'] = () => ({ error: 'down' });
    expect((await refusal(await sign(usual()))).code).toBe('sign-in-unavailable');
    if (keys) answers['/openid/connect/keys'] = keys;
    expect(await proof().finish(query, NONCE)).toMatchObject({ tenant: 'T1' });
  });

  it('a look-up of the person that fails is an outage', async () => {
    slack.answers['users.info'] = () => ({ ok: false, error: 'internal_error' });
    const refused = refusal(await sign(usual()));
    const repeated = async () => {
      await clock.pass(1_000);
      return slack.called('users.info').length;
    };
    await expect.poll(repeated).toBe(3);
    expect((await refused).code).toBe('sign-in-unavailable');
  });
});

describe('with many workspaces', () => {
  const stored = (id: string, orgWide: boolean) =>
    [
      `installation ${id}`,
      { id, orgWide, botUser: 'U0BOT', token: `xoxb-${id}`, scopes: [], ...(orgWide && { enterprise: id }) },
    ] as const;
  beforeEach(async () => {
    await rig.close();
    const keys = { clientId: CLIENT, clientSecret: secret('client-canary') };
    rig = await startRig(
      {
        apiUrl: slack.apiUrl,
        oauth: { ...keys, stateSecret: secret('state'), publicUrl: 'https://parley.example' },
        openId: { ...keys, redirectUri: REDIRECT },
      },
      { clock, secrets: new Map<string, unknown>([stored('T1', false), stored('E1', true)]) },
    );
  });
  const proven = async (claims: object) => {
    send(await sign({ ...usual(), ...claims }));
    return proof().finish(query, NONCE);
  };

  it('lets the person choose the workspace', () => {
    expect(new URL(proof().begin({ state: 's', nonce: 'n' })).searchParams.has('team')).toBe(false);
  });

  it('accepts workspaces that installed the app, and workspaces of such an organization', async () => {
    expect(await proven({})).toMatchObject({ tenant: 'T1' });
    expect(slack.called('users.info').at(-1)?.token).toBe('xoxb-T1');
    const inOrganization = { 'https://slack.com/team_id': 'T7', 'https://slack.com/enterprise_id': 'E1' };
    slack.answers['users.info'] = ({ args }) => ({
      ok: true,
      user: { id: args.user, team_id: 'E1', real_name: 'Ada' },
    });
    expect(await proven(inOrganization)).toMatchObject({ tenant: 'T7', person: { standing: 'member' } });
    expect(slack.called('users.info').at(-1)?.token).toBe('xoxb-E1');
  });

  it.each([
    ['another workspace', { 'https://slack.com/team_id': 'T2' }],
    ['another organization', { 'https://slack.com/team_id': 'T7', 'https://slack.com/enterprise_id': 'E2' }],
    ['a workspace whose organization the token does not name', { 'https://slack.com/team_id': 'T7' }],
  ])('refuses %s', async (_what, claims) => {
    await expect(proven(claims)).rejects.toMatchObject({
      code: 'sign-in-refused',
      tellUser: expect.stringContaining('not installed'),
    });
  });

  it('refuses a workspace whose token Slack does not accept any more', async () => {
    for (const method of ['users.info', 'auth.test'])
      slack.answers[method] = () => ({ ok: false, error: 'account_inactive' });
    const refused = expect(proven({})).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    await checked(clock, slack);
    await refused;
    await expect(proven({})).rejects.toMatchObject({ tellUser: expect.stringContaining('not installed') });
  });
});

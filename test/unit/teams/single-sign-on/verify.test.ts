/**
 * Tests that a token is accepted only if the organization issued it for this app, and if it belongs to the person who
 * sent it.
 */

import { expect, test } from 'vitest';
import { directoryOf } from '../../../../adapters/teams/clouds.ts';
import { type Sender, type VerifyDeps, verify } from '../../../../adapters/teams/single-sign-on/verify.ts';
import { badPersonToken, badPersonTokens, signingKeys } from '../../../fakes/teams/index.ts';
import { type PersonTokenOptions, personToken } from '../../../fakes/teams/sign-on/tokens.ts';
import { addPerson, addTenant, createWorld } from '../../../fakes/teams/world.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const clock = createVirtualClock();
const world = createWorld(clock);
const tenant = addTenant(world);
const ada = addPerson(world, tenant, { name: 'Ada', email: 'ada@example.org' });
const { login, connector } = signingKeys();
const sender: Sender = { person: ada.aadObjectId, tenant: tenant.id };
const deps: VerifyDeps = {
  clock,
  directory: directoryOf({ cloud: 'Public', tenant: tenant.id }),
  signOn: {
    ...{ resource: world.app.resource, application: world.app.id },
    nameClaims: ['preferred_username', 'upn'],
  },
  keys: { find: async (kid) => (kid === login.kid ? login.publicKey : undefined) },
};
const token = (options?: PersonTokenOptions) => personToken(world, ada, tenant.id, options);
const check = (given: string, over: Partial<VerifyDeps> = {}, by = sender) =>
  verify(given, by, { ...deps, ...over });

test.each([
  1, 2,
] as const)('a token of version %i is accepted, with its name and its end', async (version) => {
  const verified = await check(token({ version }));
  expect(verified).toMatchObject({ kind: 'verified', name: 'ada@example.org' });
  expect(verified).toMatchObject({ expiresAt: clock.now() + 4_500_000 });
});

const PARTS = {
  audience: 'audience',
  issuer: 'issuer',
  'other-tenant': 'tenant',
  'other-person': 'person',
  expired: 'time',
  early: 'time',
  'no-expiry': 'time',
  'id-token': 'scope',
  'alg-none': 'form',
  hs256: 'form',
  'foreign-key': 'signature',
  'unknown-kid': 'signature',
  'connector-key': 'signature',
  'consumers-key': 'signature',
  crit: 'form',
  text: 'form',
  'too-long': 'form',
} as const;

test.each(badPersonTokens)('%s is refused for this reason', async (name) => {
  const bad = badPersonToken(name, world, ada, tenant.id);
  expect(await check(bad)).toEqual({ kind: 'refused', part: PARTS[name] });
});

test('a token with any other claim wrong is refused', async () => {
  const refusedBy = async (claims: PersonTokenOptions['claims']) => check(token({ claims: { ...claims } }));
  const v1 = `https://sts.windows.net/${tenant.id}`;
  // An issuer without the slash at its end, or of another cloud, is not one of Entra's.
  for (const iss of [v1, `${v1}/v2.0`, `https://login.microsoftonline.us/${tenant.id}/v2.0`, undefined])
    expect(await refusedBy({ iss })).toEqual({ kind: 'refused', part: 'issuer' });
  for (const aud of [[world.app.id], `${world.app.id}0`, '', undefined])
    expect(await refusedBy({ aud })).toEqual({ kind: 'refused', part: 'audience' });
  for (const oid of [undefined, '', 7])
    expect(await refusedBy({ oid })).toEqual({ kind: 'refused', part: 'person' });
  for (const scp of ['User.Read', 'access_as_users', ''])
    expect(await refusedBy({ scp })).toEqual({ kind: 'refused', part: 'scope' });
  for (const nbf of [undefined, '0'])
    expect(await refusedBy({ nbf })).toEqual({ kind: 'refused', part: 'time' });
});

test('a token that ends within 10 s is refused, because it could end before it is used', async () => {
  const endingIn = (seconds: number) =>
    check(token({ claims: { exp: Math.floor(clock.now() / 1_000) + seconds } }));
  expect(await endingIn(10)).toEqual({ kind: 'refused', part: 'time' });
  expect(await endingIn(11)).toMatchObject({ kind: 'verified' });
});

test('ids are compared without regard to letter case, and a person without a directory id is refused', async () => {
  const upper = { person: sender.person.toUpperCase(), tenant: sender.tenant.toUpperCase() };
  expect(await check(token(), {}, upper)).toMatchObject({ kind: 'verified' });
  const guest = { ...sender, person: '29:1abc' };
  expect(await check(token(), {}, guest)).toEqual({ kind: 'refused', part: 'person' });
});

test('the name comes from the configured claim, and without it from the id', async () => {
  const named = { ...deps.signOn, nameClaims: ['employee'] };
  const withClaim = token({ claims: { employee: 'e-17' } });
  expect(await check(withClaim, { signOn: named })).toMatchObject({ name: 'e-17' });
  expect(await check(token(), { signOn: named })).toMatchObject({ name: ada.aadObjectId });
});

test('without keys, the token is neither accepted nor refused', async () => {
  const keys = { find: () => Promise.reject(new Error('down')) };
  expect(await check(token(), { keys })).toMatchObject({ kind: 'unknown' });
});

test('each key signs only tokens that name it', async () => {
  const keys = { find: async () => connector.publicKey };
  expect(await check(token(), { keys })).toEqual({ kind: 'refused', part: 'signature' });
});

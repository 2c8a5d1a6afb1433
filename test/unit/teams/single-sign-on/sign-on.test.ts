/** Tests the sign-in card and what Teams' clients send back, over HTTP. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copilotKey, privateThread } from '../../../../adapters/teams/private.ts';
import type { ForgetTarget, SignIn } from '../../../../src/kit/ladder.ts';
import type { ThreadRef, Turn } from '../../../../src/kit.ts';
import { turnId } from '../../../../src/kit.ts';
import { Extent } from '../../../../src/store/extent.ts';
import {
  badPersonToken,
  badPersonTokens,
  type FakePerson,
  type Message,
  signInCardIn,
  signingKeys,
} from '../../../fakes/teams/index.ts';
import { appPackage } from '../../../fakes/teams-app.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { turnOf } from '../interactions/rig.ts';
import { type Rig, startRig } from '../rig.ts';

const APP = '6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01';
const singleSignOn = {
  ...{ resource: `api://botid-${APP}`, application: APP },
  nameClaims: ['preferred_username', 'upn'],
};

let clock: VirtualClock;
let rig: Rig;
let ada: FakePerson;
let signIn: SignIn;

beforeEach(async () => {
  clock = createVirtualClock();
  rig = await startRig({ clock, config: { singleSignOn } });
  ada = rig.fake.tenant().person({ name: 'Ada', email: 'ada@example.org' });
  rig.fake.app.redirects.add(`${new URL(rig.url).origin}/teams/sign-in/done`);
  const { signIn: ability } = rig.adapter.abilities;
  if (ability === undefined) throw new Error('The channel cannot sign people in.');
  signIn = ability;
});
afterEach(async () => {
  const logged = rig.logged.join('\n');
  const acts = JSON.stringify(rig.acts);
  await rig.close();
  for (const written of [logged, acts]) expect(written).not.toContain('eyJ');
});

const settled = () => new Promise((done) => setTimeout(done, 50));

/** Asks the person's clients for a token, for a question in their chat. */
async function begin(person = ada, id = 'turn-1'): Promise<{ turn: Turn; message: Message }> {
  const chat = person.dm();
  await person.says(chat, 'hello').delivery?.done;
  const { tenant } = { tenant: rig.fake.tenant().id };
  const thread = { channel: 'teams', tenant, room: chat.id, key: chat.id, kind: 'direct' } as const;
  const turn = turnOf(thread, '1', person, turnId(id));
  await signIn.begin(turn, new AbortController().signal);
  const message = cardsOf(person).at(-1);
  if (message === undefined) throw new Error('There is no sign-in card.');
  return { turn, message };
}

const cardsOf = (person: FakePerson) =>
  rig.fake.messages(person.dm()).filter(({ shown }) => signInCardIn(shown) !== undefined);
const visible = (person: FakePerson) => cardsOf(person).filter(({ deletedAt }) => deletedAt === undefined);
const allAnswered = () => Promise.all(rig.fake.deliveries.map(({ done }) => done));

test('the client gets a card with the resource, and its token is verified and kept', async () => {
  const { turn, message } = await begin();
  await allAnswered();
  expect(signInCardIn(message.shown)?.uri).toBe(singleSignOn.resource);
  expect(rig.tokens).toEqual([
    {
      ...{ channel: 'teams', tenant: rig.fake.tenant().id, person: ada.aadObjectId },
      ...{ token: expect.stringMatching(/^eyJ/), name: 'ada@example.org' },
      expiresAt: expect.any(Number),
    },
  ]);
  signIn.end(turn);
  await settled();
  expect(visible(ada)).toEqual([]);
  expect(rig.fake.log.violations).toEqual([]);
});

describe('in a group chat', () => {
  const open = async (thread: (room: string) => Partial<ThreadRef> & { key: string }) => {
    const chat = rig.fake.tenant().chat({ members: [ada] });
    await ada.mentions(chat, 'hello').delivery?.done;
    const place = { channel: 'teams', tenant: rig.fake.tenant().id, room: chat.id, kind: 'direct' } as const;
    return { chat, turn: turnOf({ ...place, ...thread(chat.id) }, '1', ada, turnId('turn-g')) };
  };
  const alone = (chat: string) => {
    const thread = {
      channel: 'teams',
      tenant: rig.fake.tenant().id,
      room: chat,
      key: chat,
      kind: 'group',
    } as const;
    return privateThread(thread, ada.aadObjectId, 'x');
  };

  test('a private question gets a card that only its asker sees, and the asker’s token is kept', async () => {
    const { chat, turn } = await open(alone);
    expect(signIn.isPossible(turn.message.thread)).toBe(true);
    await signIn.begin(turn, new AbortController().signal);
    await allAnswered();
    const [card] = rig.fake.messages(chat).filter(({ shown }) => signInCardIn(shown) !== undefined);
    expect(card?.onlyFor).toBe(ada.aadObjectId);
    expect(rig.tokens).toMatchObject([{ person: ada.aadObjectId }]);
    const eve = rig.fake.tenant().person({ name: 'Eve' });
    if (card !== undefined) expect((await eve.exchanges(card, ada.token()).done)?.status).toBe(412);
    signIn.end(turn);
    await expect.poll(() => card?.deletedBy).toBe('app');
    expect(rig.fake.log.violations).toEqual([]);
  });

  test('a client without a token lets the private question fail, and a sign-in by hand helps', async () => {
    ada.clients({ act: 'consent' });
    const { chat, turn } = await open(alone);
    await signIn.begin(turn, new AbortController().signal);
    const [card] = rig.fake.messages(chat).filter(({ shown }) => signInCardIn(shown) !== undefined);
    if (card === undefined) throw new Error('There is no sign-in card.');
    await (await ada.signsIn(card)).done;
    await expect.poll(() => rig.tokens.length).toBe(1);
    await allAnswered();
  });

  test('a question that everyone sees gets no card, and neither does a private question in a channel', async () => {
    const { turn } = await open((key) => ({ key, kind: 'group' }));
    expect(signIn.isPossible(turn.message.thread)).toBe(false);
    const thread = { ...turn.message.thread, key: '1760', kind: 'room' } as const;
    expect(signIn.isPossible(privateThread(thread, ada.aadObjectId, 'x'))).toBe(false);
    const copilot = { ...turn.message.thread, key: copilotKey('19:x'), kind: 'direct' } as const;
    expect(signIn.isPossible(copilot)).toBe(false);
  });
});

test('an app package without single sign-on gets no token, and the log names the cure', async () => {
  rig.fake.upload(appPackage(APP));
  await begin();
  await allAnswered();
  expect(rig.tokens).toEqual([]);
  expect(rig.logged.join('\n')).toContain('resourcematchfailed');
});

test('of the same request from three devices, one token is kept, and all get a good response', async () => {
  ada.clients({ act: 'token', devices: 3, token: (device) => ada.token({ claims: { uti: `${device}` } }) });
  const { message } = await begin();
  await allAnswered();
  const id = signInCardIn(message.shown)?.id;
  const last = await ada.exchanges(message, ada.token()).done;
  expect(JSON.parse(last?.body ?? '')).toEqual({ id, connectionName: '' });
  const invokes = rig.fake.deliveries.filter(({ activity }) => activity.type === 'invoke');
  expect(invokes.map(({ attempts }) => attempts[0]?.status)).toEqual([200, 200, 200, 200]);
  // Tokens that arrive at the same time may all be verified. A token that arrives later is not verified.
  expect(rig.tokens.length).toBeGreaterThan(0);
  const before = rig.tokens.length;
  await ada.exchanges(message, ada.token()).done;
  expect(rig.tokens).toHaveLength(before);
});

describe('a token is refused with 412, the id and no detail', () => {
  const refused = async (message: Message | { id: string }, token: string, by = ada) => {
    const attempt = await by.exchanges(message, token).done;
    expect(attempt?.status).toBe(412);
    expect(JSON.parse(attempt?.body ?? '')).toEqual({
      ...{ id: expect.any(String), connectionName: '' },
      failureDetail: expect.any(String),
    });
    expect(rig.tokens).toEqual([]);
  };

  test.each(badPersonTokens)('%s', async (name) => {
    ada.clients({ act: 'nothing' });
    const { message } = await begin();
    await refused(message, badPersonToken(name, rig.fake.world, ada, rig.fake.tenant().id));
    const lasting = ['audience', 'issuer', 'id-token'].includes(name);
    expect(rig.failed).toEqual(lasting ? [ada.aadObjectId] : []);
    expect(rig.acts).toMatchObject([{ action: 'sign-in', outcome: 'refused', person: ada.aadObjectId }]);
  });

  test('the stolen token of another person, and a token for the card of another person', async () => {
    const eve = rig.fake.tenant().person({ name: 'Eve' });
    for (const each of [ada, eve]) each.clients({ act: 'nothing' });
    const [adas, eves] = [await begin(ada, 'turn-1'), await begin(eve, 'turn-2')];
    await refused(eves.message, ada.token(), eve);
    await refused(adas.message, eve.token(), eve);
    await refused(adas.message, ada.token(), eve);
    expect(rig.acts).toMatchObject([{ person: eve.aadObjectId, detail: 'person' }]);
  });

  test('a token that was not asked for, or too late', async () => {
    ada.clients({ act: 'nothing' });
    const { message } = await begin();
    await refused({ id: 'invented' }, ada.token());
    await clock.pass(16 * 60_000);
    rig.state.clear();
    await refused(message, ada.token());
  });

  test('a token in a group chat', async () => {
    ada.clients({ act: 'nothing' });
    const { message } = await begin();
    const chat = rig.fake.tenant().chat({ members: [ada] });
    const { id = '' } = signInCardIn(message.shown) ?? {};
    const value = { id, connectionName: '', token: ada.token() };
    expect((await ada.invokes(chat, 'signin/tokenExchange', value).done)?.status).toBe(412);
    expect(rig.tokens).toEqual([]);
  });

  test('any token while the keys cannot be fetched; the question does not wait in vain', async () => {
    ada.clients({ act: 'nothing' });
    rig.fake.plant({ kind: 'status', method: 'directory', status: 503 });
    const { message } = await begin();
    await refused(message, ada.token());
    expect(rig.failed).toEqual([ada.aadObjectId]);
    await clock.pass(2_000);
    rig.fake.clearFaults();
    expect((await ada.exchanges(message, ada.token()).done)?.status).toBe(200);
  });
});

test('a value without its members gets 400', async () => {
  const sent = (value: Record<string, unknown>) => ada.invokes(ada.dm(), 'signin/tokenExchange', value).done;
  expect((await sent({}))?.status).toBe(400);
  expect((await sent({ id: 'x', token: 7 }))?.status).toBe(400);
});

test('a token that a new key signed is accepted; a key that is withdrawn is not used for ever', async () => {
  await begin();
  await allAnswered();
  expect(rig.tokens).toHaveLength(1);
  const { next, login } = signingKeys();
  rig.fake.login.directoryKeys.splice(0, 1, next);
  await clock.pass(31_000);
  ada.clients({ act: 'token', token: () => ada.token({ key: next }) });
  await begin(ada, 'turn-2');
  await allAnswered();
  expect(rig.tokens).toHaveLength(2);
  ada.clients({ act: 'token', token: () => ada.token({ key: login }) });
  await begin(ada, 'turn-3');
  await allAnswered();
  expect(rig.tokens).toHaveLength(2);
});

test('each refused token adds its wrong part to the audit', async () => {
  ada.clients({ act: 'nothing' });
  const { message } = await begin();
  const bad = () => badPersonToken('expired', rig.fake.world, ada, rig.fake.tenant().id);
  for (let time = 0; time < 2; time += 1) await ada.exchanges(message, bad()).done;
  const act = { outcome: 'refused', person: ada.aadObjectId, detail: 'time' };
  expect(rig.acts).toMatchObject([act, act]);
});

describe('a client without a token', () => {
  test('ends the wait once, however often it reports that it got none', async () => {
    ada.clients({ act: 'nothing' });
    await begin();
    const report = () => ada.invokes(ada.dm(), 'signin/failure', { code: 'tokenmissing' }).done;
    const answers = await Promise.all(Array.from({ length: 50 }, report));
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]));
    await clock.pass(5_000);
    await settled();
    expect(rig.failed).toEqual([ada.aadObjectId]);
  });

  test('has no effect if no question of the person waits in this chat, or another one by then', async () => {
    ada.clients({ act: 'nothing' });
    const eve = rig.fake.tenant().person({ name: 'Eve' });
    const report = (by = ada, chat = by.dm()) =>
      by.invokes(chat, 'signin/failure', { code: 'tokenmissing' }).done;
    await report();
    const { turn } = await begin();
    await report(eve);
    await report(ada, rig.fake.tenant().chat({ members: [ada] }));
    expect(rig.logged.join()).not.toContain('got no token');
    await report();
    signIn.end(turn);
    await settled();
    await begin(ada, 'turn-2');
    await clock.pass(5_000);
    await settled();
    expect(rig.failed).toEqual([]);
    await report();
    await clock.pass(5_000);
    await settled();
    expect(rig.failed).toEqual([ada.aadObjectId]);
  });

  test.each([
    'resourcematchfailed',
    'tokenmissing',
    'New-Code!',
  ])('%s ends the wait after 5 s', async (code) => {
    ada.clients({ act: 'failure', code });
    await begin();
    await allAnswered();
    expect(rig.failed).toEqual([]);
    await clock.pass(5_000);
    await settled();
    expect(rig.failed).toEqual([ada.aadObjectId]);
    expect(rig.logged.join()).toContain(code === 'New-Code!' ? 'unknown' : code);
  });

  test('shows the card for consent, which is no failure', async () => {
    ada.clients({ act: 'failure', code: 'userconsentrequired' });
    await begin();
    await allAnswered();
    await clock.pass(10_000);
    await settled();
    expect(rig.failed).toEqual([]);
  });

  test('gets one after a sign-in by hand', async () => {
    ada.clients({ act: 'consent' });
    const { message } = await begin();
    expect(rig.tokens).toEqual([]);
    const done = await (await ada.signsIn(message)).done;
    expect(done?.status).toBe(200);
    await expect.poll(() => rig.tokens).toHaveLength(1);
    expect(visible(ada)).toHaveLength(1);
    expect(visible(ada)[0]?.id).not.toBe(message.id);
    expect(rig.fake.log.of('authorize').map(({ status }) => status)).toEqual([302]);
    expect(rig.fake.log.violations).toEqual([]);
  });

  test('gets no other card for an old question, or with a state that is missing, used or not theirs', async () => {
    ada.clients({ act: 'consent' });
    const eve = rig.fake.tenant().person({ name: 'Eve' });
    const { turn, message } = await begin();
    const page = signInCardIn(message.shown)?.page ?? '';
    const state = new URL(page).searchParams.get('state') ?? '';
    const sent = async (value: Record<string, unknown>, by = ada) =>
      (await by.invokes(by.dm(), 'signin/verifyState', value).done)?.status;
    expect(await sent({})).toBe(404);
    expect(await sent({ state: 'CancelledByUser' })).toBe(412);
    expect(await sent({ state }, eve)).toBe(412);
    signIn.end(turn);
    await settled();
    expect(await sent({ state })).toBe(200);
    expect(await sent({ state })).toBe(412);
    await settled();
    expect(cardsOf(ada)).toHaveLength(1);
  });
});

test('a restart sends a new card in place of the one whose token was lost', async () => {
  ada.clients({ act: 'nothing' });
  const { message } = await begin();
  await rig.restart();
  signIn = rig.adapter.abilities.signIn ?? signIn;
  ada.clients({ act: 'token' });
  const again = await begin();
  await allAnswered();
  expect(rig.tokens).toHaveLength(1);
  expect(visible(ada).map(({ id }) => id)).toEqual([again.message.id]);
  expect(again.message.id).not.toBe(message.id);
});

test('a state that two clients send at once leads to one new card', async () => {
  ada.clients({ act: 'consent' });
  const { message } = await begin();
  const state = new URL(signInCardIn(message.shown)?.page ?? '').searchParams.get('state') ?? '';
  const send = async () => (await ada.invokes(ada.dm(), 'signin/verifyState', { state }).done)?.status;
  const statuses = await Promise.all(Array.from({ length: 10 }, send));
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  await settled();
  expect(cardsOf(ada)).toHaveLength(2);
  expect(visible(ada)).toHaveLength(1);
});

test('a card that could not be removed is removed at the next sign-in of the person', async () => {
  ada.clients({ act: 'nothing' });
  const { turn } = await begin();
  rig.fake.plant({ kind: 'status', method: 'delete', status: 503, count: 100 });
  signIn.end(turn);
  await clock.pass(60_000);
  await settled();
  await rig.restart();
  signIn = rig.adapter.abilities.signIn ?? signIn;
  expect(visible(ada)).toHaveLength(1);
  rig.fake.clearFaults();
  const { message } = await begin(ada, 'turn-2');
  expect(visible(ada).map(({ id }) => id)).toEqual([message.id]);
});

test('the deletion of a person or of a workspace finds everything that is stored about a sign-in', async () => {
  ada.clients({ act: 'consent' });
  const before = new Set(rig.state.keys());
  const { message } = await begin();
  await (await ada.signsIn(message)).done;
  await expect.poll(() => rig.tokens).toHaveLength(1);
  const keys = [...rig.state.keys()].filter((key) => !before.has(key) && key.startsWith('["'));
  expect(keys.length).toBeGreaterThan(4);
  const [tenant, person] = [rig.fake.tenant().id, ada.aadObjectId];
  const entry = (key: string) => ({ namespace: 'adapter teams', key, owner: null });
  const verdicts = (target: ForgetTarget) =>
    new Set(keys.map((key) => new Extent(target).verdict(entry(key))));
  expect(verdicts({ kind: 'person', channel: 'teams', person })).toEqual(new Set(['delete']));
  expect(verdicts({ kind: 'person', channel: 'teams', tenant, person })).toEqual(new Set(['delete']));
  expect(verdicts({ kind: 'tenant', channel: 'teams', tenant })).toEqual(new Set(['delete']));
  const other = { kind: 'person', channel: 'teams', tenant, person: 'ben' } as const;
  expect(verdicts(other)).not.toContain('delete');
  for (const key of keys) {
    const value = rig.state.get(key);
    expect(new Extent(other).without(entry(key), value)).toEqual(value);
  }
});

test('rejects if Teams does not take the card', async () => {
  rig.fake.plant({ kind: 'status', method: 'send', status: 403 });
  await expect(begin()).rejects.toMatchObject({ code: 'channel-unavailable' });
});

test('only the chat with the app can ask for a token', () => {
  const tenant = rig.fake.tenant().id;
  const thread = { channel: 'teams', tenant, room: 'r', key: 'r', kind: 'direct' } as const;
  expect(signIn.isPossible(thread)).toBe(true);
  expect(signIn.isPossible({ ...thread, kind: 'group' })).toBe(false);
  expect(signIn.isPossible({ ...thread, key: 'private|x|r|act' })).toBe(false);
});

describe('the pages', () => {
  const read = (path: string, method = 'GET') =>
    fetch(`${new URL(rig.url).origin}/teams/sign-in${path}`, { redirect: 'manual', method });
  const STATE = '00000000-0000-4000-8000-000000000001';

  test('lead to Microsoft with a request for this app, and only there', async () => {
    const response = await read(`?state=${STATE}&redirect_uri=https://evil.example`);
    const to = new URL(response.headers.get('location') ?? '');
    expect(to.origin).toBe(rig.fake.url);
    expect(to.searchParams.get('client_id')).toBe(APP);
    expect(to.searchParams.get('scope')).toBe(`openid ${singleSignOn.resource}/access_as_user`);
    expect(to.searchParams.get('redirect_uri')).not.toContain('evil');
  });

  test.each([
    '',
    '?state=x',
    '?state="><script>',
    `/other?state=${STATE}`,
    '/done',
    '/done?state=<b>',
  ])('refuse %j', async (path) => expect((await read(path)).status).toBe(404));

  test('allow only Microsoft’s script and their own, and tell a failure', async () => {
    const response = await read(`/done?state=${STATE}&error=access_denied&error_description=<b>`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha384-[\w+/=]+' 'sha256-[\w+/=]+'; /);
    const page = await response.text();
    expect(page).toContain('data-failed="SignInFailed"');
    expect(page).not.toContain('<b>');
    expect((await read(`/done?state=${STATE}`, 'POST')).status).toBe(404);
  });
});

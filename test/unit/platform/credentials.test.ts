import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { askerAccount } from '../../../src/core/asker.ts';
import { BridgeError } from '../../../src/errors.ts';
import { nonce, RECHECK_MS, signature } from '../../../src/platform/credentials.ts';
import type { AgentOptions } from '../../../src/platform/index.ts';
import { createTokenCache, renewalTime } from '../../../src/platform/tokens.ts';
import { Secret } from '../../../src/secret.ts';
import {
  ask,
  CHAT,
  type Client,
  clientOf,
  EXPERT,
  givesTokens,
  type HostilePlatform,
  keyAgent,
  LITE_TOKEN,
  openAgent,
  sendEvents,
  sendJson,
  startHostilePlatform,
  TOKEN,
} from '../../fakes/hostile-platform.ts';
import { PNG } from '../../fakes/pixel.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { codeOf } from './decode.ts';
import { eachWithRig } from './typed-client.ts';

const ANSWER = [{ success: true, data: { content: 'Two years.', finish_reason: 'stop' } }];
const LINKS = '/webapi/knowledge/v1/file/ekb-temporary';
const FILE = '/webapi/knowledge/v1/file/ekb-temporary-file/';
const UPLOAD = '/webapi/lite_api/v2/api/chat-with-bot/upload-images';
const AGENT_ID = '5a1d0000-0000-4000-8000-000000000001';
const tokenAgent: Partial<AgentOptions> = {
  interface: 'lite-token',
  agentId: AGENT_ID,
  credential: {
    kind: 'client-token',
    clientId: 'c',
    secret: new Secret('lite-secret-1'),
    username: 'service',
  },
};
const never = new AbortController().signal;

const rig = eachWithRig();
beforeEach(() => {
  rig.server.on(EXPERT, (_request, response) => sendEvents(response, ANSWER));
});

describe('tokens', () => {
  it('CHK-5: 100 parallel questions request one token', async () => {
    const gateway = rig.owner.gateway();
    await Promise.all(Array.from({ length: 100 }, () => ask(gateway)));
    expect(rig.server.paths(TOKEN).length).toBe(1);
    expect(rig.server.paths(EXPERT).every((one) => one.headers.authorization === 'openapi token-1')).toBe(
      true,
    );
  });

  it('each account has its own token, and the sign-in is signed for that account', async () => {
    const gateway = rig.owner.gateway();
    await ask(gateway, { account: 'ada' });
    await ask(gateway, { account: 'ben' });
    await ask(gateway, { account: 'ada' });
    await ask(gateway);
    const accounts = rig.server
      .paths(TOKEN)
      .map((one) => (JSON.parse(one.body) as { account: string }).account);
    expect(accounts).toEqual(['ada', 'ben', 'service']);
    expect(rig.server.paths(EXPERT).map((one) => one.headers.authorization)).toEqual(
      ['token-1', 'token-2', 'token-1', 'token-3'].map((token) => `openapi ${token}`),
    );
  });

  it('a given account is signed in again after 50 s, the service account is not', async () => {
    let later = 0;
    const moved = rig.other({ clock: { ...systemClock, now: () => systemClock.now() + later } });
    const gateway = moved.gateway();
    const signIns = () => rig.server.paths(TOKEN).length;
    await ask(gateway, { account: 'ada' });
    await ask(gateway);
    later = 40_000;
    await gateway.admit?.('ada', never);
    expect(signIns()).toBe(2);
    later = 51_000;
    await Promise.all([1, 2, 3].map(() => gateway.admit?.('ada', never)));
    await ask(gateway, { account: 'ada' });
    await ask(gateway);
    expect(signIns()).toBe(3);
  });

  it.each([
    ['refuses the account', 'platform-refused', 200],
    ['is down', 'platform-server', 500],
  ])('a person whose account was signed in is not admitted after 50 s if the platform %s', async (_how, code, status) => {
    let later = 0;
    // Shortens the pauses between attempts, but not the time limits of calls.
    const wait: typeof systemClock.wait = (ms, signal) =>
      systemClock.wait(ms > 20_000 ? ms : ms / 100, signal);
    const moved = rig.other({
      clock: { ...systemClock, wait, now: () => systemClock.now() + later },
    });
    const gateway = moved.gateway();
    await gateway.admit?.('ada', never);
    rig.server.on(TOKEN, (_request, response) =>
      sendJson(response, { success: false, message: 'The account is disabled.' }, status),
    );
    later = 51_000;
    for (const account of ['ada', 'ada', 'never seen'])
      await expect(gateway.admit?.(account, never)).rejects.toMatchObject({ code });
    expect(codeOf((await ask(gateway, { account: 'ada' })).error)).toBe(code);
    expect(rig.server.paths(EXPERT)).toEqual([]);
  });

  it('an agent with an API key checks accounts with its media credential, or not at all', async () => {
    rig.server.on(TOKEN, (_request, response) =>
      sendJson(response, { success: false, message: 'Disabled.' }),
    );
    const checks = rig.owner.gateway({ ...keyAgent, mediaCredential: openAgent.credential });
    await expect(checks.admit?.('ada', never)).rejects.toMatchObject({ code: 'platform-refused' });
    await expect(rig.owner.gateway(keyAgent).admit?.('ada', never)).resolves.toBeUndefined();
  });

  it('a sign-in sends five members with a fresh nonce, and no Authorization header', async () => {
    await ask(rig.owner.gateway(), { account: 'ada' });
    const [request] = rig.server.paths(TOKEN);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      client: 'demo',
      account: 'ada',
      timestamp: expect.any(Number),
      nonce: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
      signature: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(request?.body).not.toContain('client-secret');
    expect(request?.headers.authorization).toBeUndefined();
  });

  it("an identity-provider token is exchanged under the deployment's word, and for no other account", async () => {
    const own = rig.other({ idpWord: 'sso' });
    rig.server.on('/openapi/auth/user/sso', givesTokens);
    const gateway = own.gateway({
      credential: { kind: 'idp', token: () => Promise.resolve(new Secret('idp-token')) },
    });
    expect((await ask(gateway)).text).toBe('Two years.');
    expect(JSON.parse(rig.server.paths('/openapi/auth/user/sso')[0]?.body ?? '')).toEqual({
      token: 'idp-token',
    });
    expect(codeOf((await ask(gateway, { account: 'ada' })).error)).toBe('platform-permission');
  });

  describe("the asker's own token", () => {
    const ADA = askerAccount('ada@example.org', { channel: 'memory', tenant: 'acme', person: 'ada' });
    const NAMESAKE = askerAccount('ada@example.org', { channel: 'memory', tenant: 'acme', person: 'eve' });
    const EXCHANGE = '/openapi/auth/user/idp';
    const shared = { kind: 'client-account', client: 'c', secret: new Secret('s'), account: 'room' } as const;
    const credential = {
      kind: 'asker',
      token: async (account: string) => new Secret(`of ${account}`),
    } as const;
    const exchanged = () =>
      rig.server.paths(EXCHANGE).map((one) => (JSON.parse(one.body) as { token: string }).token);

    it('is exchanged for each person, also for two with the same name, and is obtained anew after 50 s', async () => {
      const clock = createVirtualClock();
      const own = rig.other({ clock });
      rig.server.on(EXCHANGE, givesTokens);
      const gateway = own.gateway({ credential });
      await ask(gateway, { account: ADA });
      await ask(gateway, { account: NAMESAKE });
      await ask(gateway, { account: ADA });
      expect(exchanged()).toEqual([`of ${ADA}`, `of ${NAMESAKE}`]);
      expect(rig.server.paths(EXPERT).map(({ headers }) => headers.authorization)).toEqual([
        'openapi token-1',
        'openapi token-2',
        'openapi token-1',
      ]);
      await clock.pass(RECHECK_MS);
      await gateway.admit?.(ADA, never);
      expect(exchanged()).toHaveLength(3);
    });

    it('is not used for other accounts, which get the other credential or are refused', async () => {
      rig.server.on(EXCHANGE, givesTokens);
      const both = rig.owner.gateway({ credential: { ...credential, elsewhere: shared } });
      await ask(both);
      await ask(both, { account: 'ben' });
      expect(exchanged()).toEqual([]);
      expect(rig.server.paths(TOKEN)).toHaveLength(2);
      const alone = rig.owner.gateway({ credential });
      expect(codeOf((await ask(alone)).error)).toBe('access-denied');
      expect(codeOf((await ask(alone, { account: 'ben' })).error)).toBe('access-denied');
    });

    it('is the only credential that may be used for the account of an asker', async () => {
      for (const other of [shared, { kind: 'idp', token: async () => new Secret('t') } as const]) {
        const { error } = await ask(rig.owner.gateway({ credential: other }), { account: ADA });
        expect(codeOf(error)).toBe('platform-permission');
      }
      expect(rig.server.paths(TOKEN)).toEqual([]);
    });

    it('is refused like any account if the platform refuses the exchange, or if there is none', async () => {
      rig.server.on(EXCHANGE, (_request, response) =>
        sendJson(response, { success: false, msg: 'The account is disabled.' }),
      );
      const gateway = rig.owner.gateway({ credential });
      await expect(gateway.admit?.(ADA, never)).rejects.toMatchObject({ code: 'platform-refused' });
      const none = () => Promise.reject(new BridgeError('sign-in-needed', 'No token.'));
      const without = rig.owner.gateway({ credential: { kind: 'asker', token: none } });
      await expect(without.admit?.(ADA, never)).rejects.toMatchObject({ code: 'sign-in-needed' });
    });
  });

  it("a token of the lite interface is requested for the question's account", async () => {
    rig.server.on(`/webapi/lite_api/v2/api/chat-with-bot/${AGENT_ID}`, (_request, response) =>
      sendEvents(response, [{ content: 'Hi', done: true }]),
    );
    await ask(rig.owner.gateway(tokenAgent), { account: 'ada' });
    expect(JSON.parse(rig.server.paths(LITE_TOKEN)[0]?.body ?? '')).toEqual({
      client_id: 'c',
      client_secret: 'lite-secret-1',
      username: 'ada',
    });
  });

  it.each([
    200, 401,
  ])('ERR-8: masks a client secret that the platform repeats with status %i', async (status) => {
    rig.server.on(LITE_TOKEN, (_request, response) =>
      sendJson(response, { code: 422, message: 'lite-secret-1 is not the secret of c', data: null }, status),
    );
    const { error } = await ask(rig.owner.gateway(tokenAgent));
    expect(error).toMatchObject({ message: expect.stringContaining('*** is not the secret of c') });
  });

  it.each([
    [24 * 3600, 0.8 * 24 * 3600],
    [7200, 5760],
    [300, 240],
    [200, 160],
    [0, 240],
    [Number.NaN, 240],
    [10 * 24 * 3600, 0.8 * 24 * 3600],
  ])('a token with a lifetime of %i s is renewed after %i s (AUT-7)', (life, after) => {
    expect(renewalTime({ token: 'opaque', lifeMs: life * 1000 }, 0)).toBeCloseTo(after * 1000);
  });

  it('a token is never kept beyond its own expiry (AUT-5)', () => {
    const claims = Buffer.from(JSON.stringify({ exp: 1000 })).toString('base64url');
    expect(renewalTime({ token: `h.${claims}.s`, lifeMs: 7_200_000 }, 900_000)).toBe(900_000 + 80_000);
    expect(renewalTime({ token: 'h.!!!.s', lifeMs: 7_200_000 }, 0)).toBe(5_760_000);
  });

  it('a token request continues after its caller aborts, and is repeated after a failure', async () => {
    const cache = createTokenCache(createVirtualClock(), never);
    let give: (token: string) => void = () => undefined;
    const slow = () =>
      new Promise<{ token: string; lifeMs: number }>((resolve) => {
        give = (token) => resolve({ token, lifeMs: 1e6 });
      });
    const leaver = new AbortController();
    const gone = cache.get('k', slow, leaver.signal);
    const stays = cache.get('k', slow, never);
    leaver.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    give('t');
    expect((await stays).token.reveal()).toBe('t');
    await expect(cache.get('x', () => Promise.reject(new Error('down')), never)).rejects.toThrow('down');
    expect((await cache.get('x', async () => ({ token: 'y', lifeMs: 1e6 }), never)).token.reveal()).toBe('y');
  });
});

describe('the signature of a client', () => {
  it("CHK-4: matches the contract's examples (AUT-10)", () => {
    const parts = {
      client: 'demo-client',
      secret: 'demo-secret',
      timestamp: 1_700_000_000_000,
      nonce: 'a1b2c3',
    };
    expect(signature({ ...parts, account: 'alice' })).toBe('872534d23bd3789b6e48ae29424e7230');
    expect(signature({ ...parts, account: '用户@例.com' })).toBe('9c967233f348b65b5f4c25d3f510de65');
  });

  it('uses nonces of six letters or digits at both limits of the random source', () => {
    for (const random of [0, 0.5, 0.999_999_999]) expect(nonce(() => random)).toMatch(/^[0-9A-Za-z]{6}$/);
  });
});

describe('the scheme of Open API tokens (AUT-13)', () => {
  it('CHK-6: changes to Bearer if a renewal did not help, and stays there', async () => {
    rig.server.on(EXPERT, (request, response) =>
      request.headers.authorization?.startsWith('Bearer ')
        ? sendEvents(response, ANSWER)
        : response.writeHead(401).end(),
    );
    const gateway = rig.owner.gateway();
    expect((await ask(gateway)).text).toBe('Two years.');
    expect((await ask(gateway)).text).toBe('Two years.');
    expect(rig.server.paths(EXPERT).map((one) => one.headers.authorization)).toEqual([
      'openapi token-1',
      'openapi token-2',
      'Bearer token-2',
      'Bearer token-2',
    ]);
  });

  it('does not change if it is configured', async () => {
    const fixed = rig.other({ authScheme: 'openapi' });
    rig.server.on(EXPERT, (_request, response) => response.writeHead(401).end());
    expect(codeOf((await ask(fixed.gateway())).error)).toBe('platform-auth');
    expect(rig.server.paths(EXPERT).length).toBe(2);
  });
});

describe('requests to the platform', () => {
  it("an Open API question has a null session, the person's language, and no unset members", async () => {
    await ask(rig.owner.gateway({ includeThought: true }), {
      locale: 'de-DE',
      quoted: [{ author: 'Eve', text: 'hi' }],
    });
    expect(JSON.parse(rig.server.paths(EXPERT)[0]?.body ?? '')).toEqual({
      expertCode: 'guide',
      content: expect.stringContaining('Eve wrote:\n> hi'),
      sessionId: null,
      stream: true,
      includeThought: true,
      language: { systemLanguage: 'de-DE' },
    });
  });

  it.each([
    [{ language: 'de' }, {}, { chatLanguage: 'de' }],
    [{ language: 'de', locale: 'fr' }, { chatLanguage: 'ja' }, { chatLanguage: 'de', systemLanguage: 'fr' }],
    [{ locale: 'fr' }, { chatLanguage: 'ja' }, { chatLanguage: 'ja', systemLanguage: 'fr' }],
  ])('EXP-7: a question with %j, of an agent with %j, sends %j', async (asked, options, language) => {
    await ask(rig.owner.gateway(options), asked);
    expect(JSON.parse(rig.server.paths(EXPERT)[0]?.body ?? '')).toMatchObject({ language });
  });

  it('CHK-12: a chat by key sends the history, then the question with its images as a part', async () => {
    rig.server.on(CHAT, (_request, response) => sendEvents(response, [{ content: 'Hi', done: true }]));
    await ask(rig.owner.gateway(keyAgent), {
      history: [
        { question: 'a', answer: 'b' },
        { question: 'c', answer: '' },
      ],
      images: ['i1', 'i2'],
    });
    expect(JSON.parse(rig.server.paths(CHAT)[0]?.body ?? '')).toEqual({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How long is the warranty?' },
            { type: 'image_ids', image_ids: ['i1', 'i2'] },
          ],
        },
      ],
      stream: true,
      show_tool_result: true,
      skip_hint: false,
    });
  });

  it('CHK-12: a chat by token sends one message and the conversation', async () => {
    const path = `/webapi/lite_api/v2/api/chat-with-bot/${AGENT_ID}`;
    rig.server.on(path, (_request, response) => sendEvents(response, [{ content: 'Hi', done: true }]));
    await ask(rig.owner.gateway({ ...tokenAgent, fileIds: ['1'], workspaceIds: ['2', '3'] }), {
      session: 'conv-1',
      history: [{ question: 'a', answer: 'b' }],
    });
    expect(JSON.parse(rig.server.paths(path)[0]?.body ?? '')).toMatchObject({
      messages: [{ role: 'user', content: 'How long is the warranty?' }],
      conversation_id: 'conv-1',
      file_id: '1',
      workspace_id: ['2', '3'],
    });
    expect(rig.server.paths(path)[0]?.headers.authorization).toBe('Bearer lite-token');
  });

  it.each([
    [[{ id: '7', workspace: '8' }], { file_id: '7', workspace_id: '8' }],
    [
      [
        { id: '7', workspace: '8' },
        { id: '9', workspace: '8' },
      ],
      { file_id: ['7', '9'], workspace_id: '8' },
    ],
  ])('a question names its documents, in both lite interfaces (CHL-10, CHL-11): %j', async (documents, sent) => {
    for (const agent of [keyAgent, tokenAgent]) {
      rig.server.on(CHAT.slice(0, -5), (_request, response) =>
        sendEvents(response, [{ content: 'Hi', done: true }]),
      );
      await ask(rig.owner.gateway(agent), { documents });
      expect(JSON.parse(rig.server.received.at(-1)?.body ?? '')).toMatchObject(sent);
      await ask(rig.owner.gateway({ ...agent, fileIds: ['1'], workspaceIds: ['2'] }), { documents });
      const body = JSON.parse(rig.server.received.at(-1)?.body ?? '');
      expect(body.file_id[0]).toBe('1');
      expect(body.workspace_id).toEqual(['2', '8']);
      await ask(rig.owner.gateway(agent));
      expect(rig.server.received.at(-1)?.body).not.toMatch(/file_id|workspace_id/);
    }
  });

  it.each([
    [{ workspaceIds: ['5'] }, { workspace_id: ['5', '8'] }, { workspace_id: ['5', '8'] }],
    [
      { layoutMode: 'retrieval' as const },
      { workspace_id: '8', layout_mode: 1 },
      { workspace_id: ['2', '8'], layout_mode: 1 },
    ],
    [{ layoutMode: 'chat' as const }, { layout_mode: 0 }, { layout_mode: 0 }],
    [{}, { workspace_id: '8' }, { workspace_id: ['2', '8'] }],
  ])('a room sets workspaces and layout, in both lite interfaces (CHL-11, CHL-12): %j', async (lite, ...sent) => {
    const documents = [{ id: '7', workspace: '8' }];
    rig.server.on(CHAT.slice(0, -5), (_request, response) =>
      sendEvents(response, [{ content: 'Hi', done: true }]),
    );
    for (const agent of [keyAgent, tokenAgent])
      for (const [nth, options] of [{}, { workspaceIds: ['2'] }].entries()) {
        await ask(rig.owner.gateway({ ...agent, ...options }), { documents, lite });
        const body = JSON.parse(rig.server.received.at(-1)?.body ?? '');
        expect(body).toMatchObject(sent[nth] ?? {});
        expect('layout_mode' in body).toBe('layoutMode' in lite);
      }
  });

  it.each([
    [{}, {}, false],
    [{ skipHint: true }, {}, true],
    [{}, { skipHint: true }, true],
  ])('CHL-13: an agent with %j and a question with %j skip the prompt: %s', async (options, asked, skips) => {
    rig.server.on(CHAT, (_request, response) => sendEvents(response, [{ content: 'Hi', done: true }]));
    await ask(rig.owner.gateway({ ...keyAgent, ...options }), asked);
    expect(JSON.parse(rig.server.paths(CHAT)[0]?.body ?? '')).toMatchObject({ skip_hint: skips });
  });

  it('CHK-7: a path can be overridden, and the base keeps its own path', async () => {
    const other = clientOf(`${rig.server.url}/prefix/`, { paths: { askExpert: '/my/chat' } });
    rig.server.on('/prefix/openapi/auth', givesTokens);
    rig.server.on('/prefix/my/chat', (_request, response) => sendEvents(response, ANSWER));
    expect((await ask(other.gateway())).text).toBe('Two years.');
    await other.platform.close();
  });
});

describe('images of a question', () => {
  const image = { name: 'a\u202Egnp.exe', type: 'image/jpeg', bytes: PNG } as const;

  it('CHK-13: images are uploaded once, in order, with their true type and a clean name', async () => {
    rig.server.on(UPLOAD, (_request, response) =>
      sendJson(response, { code: 201, message: '', data: { ids: ['x', 'y'] } }, 201),
    );
    expect(await rig.owner.gateway(keyAgent).uploadImages([image, image], { signal: never })).toEqual([
      'x',
      'y',
    ]);
    const [request] = rig.server.paths(UPLOAD);
    expect(request?.body.match(/name="files"/g)?.length).toBe(2);
    expect(request?.body).toContain('Content-Type: image/png');
    expect(request?.body).not.toContain('\u202E');
    expect(request?.headers['api-key']).toBe('api-key-0123456789');
  });

  it('an upload is never repeated, and fewer ids than images is an error', async () => {
    rig.server.on(UPLOAD, (_request, response, nth) =>
      nth === 1 ? response.writeHead(503).end() : sendJson(response, { code: 201, data: { ids: ['x'] } }),
    );
    const gateway = rig.owner.gateway(keyAgent);
    await expect(gateway.uploadImages([image], { signal: never })).rejects.toMatchObject({
      code: 'platform-server',
    });
    await expect(gateway.uploadImages([image, image], { signal: never })).rejects.toMatchObject({
      code: 'platform-protocol',
    });
    expect(rig.server.paths(UPLOAD).length).toBe(2);
  });

  it('CHK-13: a wrong type, too many or too large images are refused before sending', async () => {
    const gateway = rig.owner.gateway(keyAgent);
    const svg = { ...image, bytes: Buffer.from('<svg/>') };
    const large = { ...image, bytes: Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]) };
    for (const images of [[svg], [large], Array.from({ length: 11 }, () => image)]) {
      await expect(gateway.uploadImages(images, { signal: never })).rejects.toMatchObject({
        code: 'image-refused',
      });
    }
    await expect(rig.owner.gateway().uploadImages([image], { signal: never })).rejects.toMatchObject({
      code: 'agent-sees-no-images',
    });
    expect(rig.server.received).toEqual([]);
  });

  it('a token agent uploads with its image key, else with its bearer, or in the older form', async () => {
    const legacy = `/webapi/lite_api/v2/api/chat-with-bot/${AGENT_ID}/upload-images`;
    for (const path of [UPLOAD, legacy])
      rig.server.on(path, (_request, response) => sendJson(response, { code: 201, data: { ids: ['x'] } }));
    await rig.owner
      .gateway({ ...tokenAgent, imageKey: new Secret('image-key-1') })
      .uploadImages([image], { signal: never });
    await rig.owner.gateway(tokenAgent).uploadImages([image], { signal: never });
    await rig.owner
      .gateway({ ...tokenAgent, legacyImageUpload: true })
      .uploadImages([image], { signal: never });
    expect(
      rig.server.paths(UPLOAD).map(({ headers }) => [headers['api-key'], headers.authorization]),
    ).toEqual([
      ['image-key-1', undefined],
      [undefined, 'Bearer lite-token'],
    ]);
    expect(rig.server.paths(legacy).length).toBe(1);
  });
});

describe('images of an answer', () => {
  let other: HostilePlatform;
  beforeEach(async () => {
    other = await startHostilePlatform();
    other.on('/', (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG));
    rig.server.on(LINKS, (_request, response) =>
      sendJson(response, {
        code: 200,
        data: [{ file_id: '12345', url: `https://public.example${FILE}signed-1` }],
      }),
    );
    rig.server.on(FILE, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(PNG),
    );
  });
  afterEach(() => other.close());
  const open = (
    ref: Parameters<ReturnType<Client['gateway']>['openMedia']>[0],
    agent: Partial<AgentOptions> = tokenAgent,
  ) => rig.owner.gateway(agent).openMedia(ref, { signal: never });
  const id = { kind: 'file-id', id: '12345' } as const;

  it('CHK-14: an image is fetched from the configured base with the token, typed by its content, and cached', async () => {
    const gateway = rig.owner.gateway(tokenAgent);
    expect((await gateway.openMedia(id, { signal: never })).type).toBe('image/png');
    await gateway.openMedia(id, { signal: never });
    expect(JSON.parse(rig.server.paths(LINKS)[0]?.body ?? '')).toEqual({ file_id: ['12345'] });
    expect(rig.server.paths(FILE).map(({ path, headers }) => [path, headers.authorization])).toEqual([
      [`${FILE}signed-1`, 'Bearer lite-token'],
    ]);
    await gateway.openMedia(id, { account: 'ada', signal: never });
    expect(rig.server.paths(FILE).length).toBe(2);
  });

  it('CHK-14: a credential never reaches another origin, not even by a redirect (S05, S07)', async () => {
    rig.server.on(FILE, (_request, response) =>
      response.writeHead(302, { location: `${other.url}/image.png` }).end(),
    );
    await expect(open(id)).rejects.toMatchObject({ code: 'media-unavailable' });
    await expect(open({ kind: 'url', url: `${other.url}/image.png` })).rejects.toMatchObject({
      code: 'media-unavailable',
    });
    rig.server.on('/own', (_request, response) =>
      response.writeHead(302, { location: `${other.url}/image.png` }).end(),
    );
    await expect(open({ kind: 'url', url: `${rig.server.url}/own` }, openAgent)).rejects.toMatchObject({
      code: 'media-unavailable',
    });
    expect(other.received).toEqual([]);
  });

  it.each([
    ['a page', Buffer.from('<html>not found</html>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['an error', Buffer.from('{"code":422,"message":"unknown file"}')],
    ['30 MiB', Buffer.concat([PNG, Buffer.alloc(30 * 1024 * 1024)])],
    [
      '20,000 pixels square',
      Buffer.concat([PNG.subarray(0, 16), Buffer.from('00004e2000004e20', 'hex'), PNG.subarray(24)]),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('an image that is %s is unavailable, whatever type it claims (F37, S10, S11)', async (_name, bytes) => {
    rig.server.on(FILE, (_request, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
    );
    await expect(open(id)).rejects.toMatchObject({ code: 'media-unavailable' });
  });

  it('an agent with only an API key needs a media credential', async () => {
    await expect(open(id, keyAgent)).rejects.toThrow(/mediaCredential/);
    await expect(open({ kind: 'url', url: `${rig.server.url}/own` }, keyAgent)).rejects.toMatchObject({
      code: 'media-unavailable',
    });
    expect(rig.server.received.every(({ headers }) => headers['api-key'] === undefined)).toBe(true);
  });
});

describe('a redirect of an ordinary call', () => {
  it('is an error, and its target receives no request', async () => {
    const other = await startHostilePlatform();
    other.on('/', givesTokens);
    rig.server.on(TOKEN, (_request, response) =>
      response.writeHead(307, { location: `${other.url}/` }).end(),
    );
    rig.server.on(CHAT, (_request, response) => response.writeHead(308, { location: `${other.url}/` }).end());
    expect(codeOf((await ask(rig.owner.gateway())).error)).toBe('platform-protocol');
    expect(codeOf((await ask(rig.owner.gateway(keyAgent))).error)).toBe('platform-protocol');
    expect(other.received).toEqual([]);
    await other.close();
  });
});

describe('sources', () => {
  const path = '/openapi/chat/record/7/reference';
  it('CHK-16: sources are requested again after 1.5 s if there are none yet (REF-3)', async () => {
    const clock = createVirtualClock();
    const waits: number[] = [];
    const wait = (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      return clock.wait(ms, signal);
    };
    const late = rig.other({ clock: { ...clock, wait } });
    rig.server.on(path, (_request, response, nth) =>
      sendJson(response, {
        success: true,
        msg: '',
        data: nth === 1 ? [] : [{ title: 'A', content: 'a', score: 0.5, type: 'document' }],
      }),
    );
    const found = late.gateway().sources({ chatRecord: '7', known: [] }, { signal: never });
    await expect.poll(() => waits).toContain(1500);
    await clock.pass(1500);
    expect((await found).map(({ title }) => title)).toEqual(['A']);
  });

  it('CHK-15: sources of a lite agent get the names and addresses of their documents', async () => {
    rig.server.on('/webapi/knowledge/v1/rag/get_detail', (_request, response) =>
      sendJson(response, {
        code: 200,
        data: { id: 'e-1', file_name: 'Guide.pdf', filetype: 3, objectType: 'doc' },
      }),
    );
    rig.server.on('/webapi/knowledge/v1/file/ekb-preview', (_request, response) =>
      response.writeHead(302, { location: '/share/guide' }).end(),
    );
    const known = [
      { key: '44', title: '', kind: 'document', document: '44', fragments: [] },
      { key: '45', title: '', kind: 'document', document: '45', link: 'https://host/45', fragments: [] },
      { key: 'x', title: 'X', kind: 'document', fragments: [] },
    ] as const;
    const sources = await rig.owner.gateway(tokenAgent).sources({ known }, { signal: never });
    expect(sources.map(({ title, link }) => [title, link])).toEqual([
      ['Guide.pdf', `${rig.server.url}/share/guide`],
      ['Guide.pdf', 'https://host/45'],
      ['X', undefined],
    ]);
    expect(rig.server.paths('/webapi/knowledge/v1/file/ekb-preview')).toHaveLength(1);
    expect(JSON.parse(rig.server.paths('/webapi/knowledge/v1/file/ekb-preview')[0]?.body ?? '')).toEqual({
      id: 'e-1',
      objectType: 'doc',
      filetype: 3,
    });
  });

  it('a source whose look-up fails stays unchanged', async () => {
    const known = [{ key: '44', title: 'Guide', kind: 'document', document: '44', fragments: [] }] as const;
    expect(await rig.owner.gateway(tokenAgent).sources({ known }, { signal: never })).toEqual(known);
  });
});

describe("doctor's findings", () => {
  it('name an unreachable platform and a refused sign-in', async () => {
    const down = clientOf('http://127.0.0.1:1');
    expect(await down.gateway().check(never)).toMatchObject([{ ok: false, what: 'sign-in' }]);
    await down.platform.close();
    rig.server.on(TOKEN, (_request, response) =>
      sendJson(response, { success: false, msg: 'unknown client' }),
    );
    expect(await rig.owner.gateway().check(never)).toMatchObject([{ ok: false, what: 'sign-in' }]);
  });

  it.each<[number, string, RegExp]>([
    [401, '{}', /Check the agent's credential/],
    [403, '{}', /Ask the platform's administrator/],
    [429, '{}', /Nothing needs to be changed here/],
    [500, '{}', /The platform has a fault of its own/],
    [503, '<html></html>', /The platform has a fault of its own/],
    [200, '<html></html>', /Check platform\.baseUrl/],
  ])('have their own cure for a sign-in with status %i and %s', async (status, body, says) => {
    rig.server.on('/', (_request, response) => response.writeHead(200).end('{}'));
    rig.server.on(TOKEN, (_request, response) => response.writeHead(status).end(body));
    expect((await rig.owner.gateway().check(never)).at(-1)).toMatchObject({
      what: 'sign-in',
      ok: false,
      detail: expect.stringMatching(says),
    });
  });

  it('do not report an untested API key as working', async () => {
    expect((await rig.owner.gateway(keyAgent).check(never)).at(-1)).toEqual({
      what: 'sign-in',
      ok: true,
      tested: false,
      detail: 'not tested: the first question shows if the API key is right.',
    });
  });
});

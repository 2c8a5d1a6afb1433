/**
 * Tests the client against the sandbox, which implements the same platform contract and shares no code with the client.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS, plainDialect } from '../../../sandbox/dialect/names.ts';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/clock.ts';
import type { AgentGateway } from '../../../src/core/agents/agent.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { type AgentOptions, createPlatform, type Platform } from '../../../src/platform/index.ts';
import { Secret } from '../../../src/secret.ts';
import { ask, clientOf, recordingLog } from '../../fakes/hostile-platform.ts';
import { PNG } from '../../fakes/pixel.ts';
import { codeOf } from '../../unit/platform/decode.ts';

const CORPUS = new URL('../../../sandbox/corpus', import.meta.url).pathname;
const INTERFACES = ['open', 'lite-key', 'lite-token'] as const;
const signal = new AbortController().signal;
/** The system clock, but each wait takes only a twentieth of the given time, so that retries do not take minutes. */
const hurried: Clock = { now: systemClock.now, wait: (ms, ended) => systemClock.wait(ms / 20, ended) };

let sandbox: RunningSandbox;
let platform: Platform;
beforeAll(async () => {
  sandbox = await startSandbox({
    port: 0,
    memory: true,
    knowledge: [CORPUS],
    basePath: '/base',
    options: { paceMs: 0 },
  });
  await sandbox.indexed;
  platform = createPlatform(
    { baseUrl: sandbox.url, timeouts: { idleMs: 6000 } },
    { clock: hurried, log: recordingLog(), random: Math.random },
  );
});
afterAll(async () => {
  await platform.close();
  await sandbox.close();
});
beforeEach(async () => {
  Object.assign(sandbox.options, {
    mediaOnLastChunk: false,
    referencesDelayMs: 0,
    previewBinary: false,
    uploadCreated: false,
  });
  Object.assign(sandbox.options.dialect, plainDialect);
  await fetch(`${new URL(sandbox.url).origin}/base/__sandbox/faults`, { method: 'DELETE' });
});

async function fault(body: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${sandbox.url}/__sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

function agentOf(
  face: (typeof INTERFACES)[number],
  name: string,
  over: Partial<AgentOptions> = {},
): AgentGateway {
  const agent = sandboxCatalogue.agents.find((one) => one.name === name);
  const { liteClient, openClient } = sandboxCatalogue;
  const token = {
    kind: 'client-token',
    clientId: liteClient.clientId,
    secret: new Secret(liteClient.clientSecret),
    username: liteClient.username,
  } as const;
  const account = {
    kind: 'client-account',
    client: openClient.client,
    secret: new Secret(openClient.secret),
    account: openClient.account,
  } as const;
  const options: Record<typeof face, AgentOptions> = {
    open: { interface: 'open', credential: account, expertCode: agent?.expertCode ?? '' },
    'lite-key': {
      interface: 'lite-key',
      credential: { kind: 'api-key', key: new Secret(agent?.apiKey ?? '') },
      mediaCredential: token,
    },
    'lite-token': { interface: 'lite-token', credential: token, agentId: agent?.uuid ?? '' },
  };
  return platform.gateway({ ...options[face], ...over });
}

const question = 'Echo this: Prüfung 保修 😀 | a | b |';
const answers = new Map<string, string>();
async function plainAnswer(face: (typeof INTERFACES)[number]): Promise<string> {
  const known = answers.get(face) ?? (await ask(agentOf(face, 'echo'), { text: question })).text;
  answers.set(face, known);
  return known;
}

const dialects = INTERFACES.flatMap((face) =>
  (['stream', 'text', 'end'] as const).flatMap((part) =>
    DIALECTS[part].map((variant) => ({ face, part, variant })),
  ),
);

describe('every dialect of an answer', () => {
  it.each(dialects)('$face, $part $variant: the text is the same', async ({ face, part, variant }) => {
    const plain = await plainAnswer(face);
    expect(plain).toContain('Prüfung 保修 😀');
    Object.assign(sandbox.options.dialect, { [part]: variant });
    const asked = await ask(agentOf(face, 'echo'), { text: question });
    // The sandbox appends this text to the answer in the dialect `tail`.
    const last = variant === 'tail' && face !== 'open' ? '\n\n(end)' : '';
    expect([asked.text, asked.error]).toEqual([plain + last, undefined]);
    expect(asked.events.at(-1)).toMatchObject({ type: 'end' });
  });

  it.each(
    INTERFACES.flatMap((face) => DIALECTS.error.map((variant) => ({ face, variant }))),
  )('$face, error $variant: the failure is readable', async ({ face, variant }) => {
    Object.assign(sandbox.options.dialect, { error: variant });
    for (const text of ['fail before', 'fail in the middle', 'fail instead']) {
      const { error } = await ask(agentOf(face, 'fail-demo'), { text });
      expect(codeOf(error), `${text}: ${String(error)}`).toMatch(/^platform-/);
    }
  });
});

describe('media and sources in every dialect', () => {
  const shows = ['link-', 'plain'];
  it.each(
    DIALECTS.media.filter((variant) => shows.some((prefix) => variant.startsWith(prefix))),
  )('%s: an image of an answer opens', async (variant) => {
    Object.assign(sandbox.options.dialect, { media: variant });
    const gateway = agentOf('lite-token', 'image-demo');
    const { events, text } = await ask(gateway, { text: 'Show me a picture' });
    const media = events.flatMap((event) => (event.type === 'media' ? [event.media] : []));
    expect(text).toContain(`](${media[0]?.inline})`);
    const opened = gateway.openMedia(media[0]?.ref ?? { kind: 'file-id', id: '0' }, { signal });
    if (variant === 'link-unknown') await expect(opened).rejects.toMatchObject({ code: 'media-unavailable' });
    else expect((await opened).type).toMatch(/^image\//);
  });

  it.each(
    DIALECTS.media.filter((variant) => /^(tool|detail|preview|plain)/.test(variant)),
  )('%s: a lite answer has sources', async (variant) => {
    Object.assign(sandbox.options.dialect, { media: variant });
    const gateway = agentOf('lite-key', 'knowledge');
    const { events, error } = await ask(gateway, { text: 'How long are recordings kept?' });
    expect(error).toBeUndefined();
    const known = events.flatMap((event) => (event.type === 'sources' ? [event.sources] : [])).at(-1) ?? [];
    const sources = await gateway.sources({ known }, { signal });
    if (variant === 'tool-text') return expect(sources).toEqual([]);
    expect(sources[0]?.title).toBe('Data retention policy');
    expect(sources[0]?.fragments.length).toBeGreaterThan(0);
  });
});

describe('the gateways', () => {
  it.each(INTERFACES)('%s: knowledge is answered with sources and a picture', async (face) => {
    const gateway = agentOf(face, 'knowledge', { includeThought: true });
    const { events, text } = await ask(gateway, { text: 'How long are recordings kept?' });
    expect(text).toContain('90 days');
    const known = events.flatMap((event) => (event.type === 'sources' ? [event.sources] : [])).at(-1) ?? [];
    const chatRecord = events.flatMap((event) => (event.type === 'record' ? [event.chatRecord] : [])).at(-1);
    const sources = await gateway.sources(
      { known, ...(chatRecord === undefined ? {} : { chatRecord }) },
      { signal },
    );
    expect(sources[0]).toMatchObject({ title: 'Data retention policy', mark: 1, kind: 'document' });
    if (face === 'open') {
      expect(chatRecord).toMatch(/^\d{19}$/);
      expect(events.some((event) => event.type === 'step')).toBe(true);
      expect(events.some((event) => event.type === 'suggestions')).toBe(true);
    }
  });

  it.each([
    'open',
    'lite-token',
  ] as const)('%s: a follow-up uses the session, and a lost session is replaced', async (face) => {
    const gateway = agentOf(face, 'knowledge');
    const first = await ask(gateway, { text: 'How long are recordings kept?' });
    const session =
      first.events.flatMap((event) => (event.type === 'session' ? [event.session] : [])).at(-1) ?? '';
    expect(session).not.toBe('');
    const second = await ask(gateway, { text: 'And server logs?', session });
    expect(second.events).not.toContainEqual({ type: 'remark', remark: 'context-lost' });
    await fault({ fault: 'F16' });
    const third = await ask(gateway, { text: 'How long are recordings kept?', session });
    expect(third.error).toBeUndefined();
    expect(third.events).toContainEqual({ type: 'remark', remark: 'context-lost' });
  });

  it.each(['lite-key', 'lite-token'] as const)('%s: images are uploaded and recognized', async (face) => {
    const gateway = agentOf(face, 'image-demo');
    const files = ['one.png', 'two.png'].map((name) => ({ name, type: 'image/png', bytes: PNG }) as const);
    const images = await gateway.uploadImages(files, { signal });
    expect(images.length).toBe(2);
    const asked = await ask(gateway, { text: 'What is this?', images });
    expect([asked.error, asked.text]).toEqual([undefined, expect.stringContaining('one.png')]);
  });

  it.each([
    false,
    true,
  ])('CHK-11: open: media arrive besides the text, on the last chunk: %s', async (mediaOnLastChunk) => {
    Object.assign(sandbox.options, { mediaOnLastChunk });
    const gateway = agentOf('open', 'media-demo');
    const { events } = await ask(gateway, { text: 'Give me media' });
    const all = events.flatMap((event) => (event.type === 'media' ? [event.media] : []));
    const media = all.filter(({ inline }) => inline === undefined);
    expect(media.map(({ kind }) => kind).toSorted()).toEqual(['file', 'image']);
    const image = media.find(({ kind }) => kind === 'image');
    expect((await gateway.openMedia(image?.ref ?? { kind: 'file-id', id: '0' }, { signal })).type).toMatch(
      /^image\//,
    );
  });

  it('every credential signs in, and doctor reports it', async () => {
    const idp = agentOf('open', 'echo', {
      credential: { kind: 'idp', token: async () => new Secret(sandboxCatalogue.idpTokens[0]?.token ?? '') },
    });
    for (const gateway of [idp, ...INTERFACES.map((face) => agentOf(face, 'echo'))]) {
      const findings = await gateway.check(signal);
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      expect((await ask(gateway, { text: 'hi' })).text).toContain('hi');
    }
  });

  it('a question is asked as its own account, and a disabled account is refused', async () => {
    expect((await ask(agentOf('open', 'echo'), { text: 'hi', account: 'member-two' })).error).toBeUndefined();
    const { error } = await ask(agentOf('open', 'echo'), { text: 'hi', account: 'disabled' });
    expect(codeOf(error)).toMatch(/^platform-/);
  });
});

describe('faults of the sandbox', () => {
  const heals = [
    { fault: 'F01', status: 503, route: 'chats', count: 2 },
    { fault: 'F02', route: 'chats' },
    { fault: 'F05', ms: 0, route: 'chats' },
    { fault: 'F07', mode: 'no-stop', route: 'chats' },
    { fault: 'F07', mode: 'no-blank', route: 'chats' },
    { fault: 'F08', mode: 'stop-twice', route: 'chats' },
    { fault: 'F08', mode: 'data-after', route: 'chats' },
    { fault: 'F08', mode: 'no-end', route: 'chats' },
    { fault: 'F10', mode: 'bom', route: 'chats' },
    { fault: 'F10', mode: 'cr', route: 'chats' },
    { fault: 'F10', mode: 'crlf', route: 'chats' },
    { fault: 'F12', mode: 'token', route: 'chats' },
    { fault: 'F13', mode: 'revoke', route: 'chats' },
    { fault: 'F15', retryAfter: '1', route: 'chats' },
    { fault: 'F15', retryAfter: 'garbage', route: 'chats' },
    { fault: 'F14', mode: 'down', route: 'tokens', count: 2 },
  ];
  it.each(
    INTERFACES.flatMap((face) => heals.map((rule) => ({ face, rule }))),
  )('$face, $rule: the answer is complete', async ({ face, rule }) => {
    // Skips this case, because a refused API key is final: it cannot be renewed (platform contract AUT-19).
    if (face === 'lite-key' && rule.mode === 'token') return;
    const plain = await plainAnswer(face);
    await fault(rule);
    expect(await ask(agentOf(face, 'echo'), { text: question })).toMatchObject({
      text: plain,
      error: undefined,
    });
  });

  const breaks = [
    { rule: { fault: 'F04', events: 1, route: 'chats', ms: 100 }, code: 'platform-idle' },
    { rule: { fault: 'F06', bytes: 150, route: 'chats' }, code: 'platform-interrupted' },
    { rule: { fault: 'F12', mode: 'envelope', route: 'chats' }, code: expect.stringMatching(/^platform-/) },
    { rule: { fault: 'F12', mode: 'html', route: 'chats' }, code: 'platform-protocol' },
    { rule: { fault: 'F15', retryAfter: '3600', route: 'chats' }, code: 'platform-busy' },
  ];
  it.each(
    INTERFACES.flatMap((face) => breaks.map((one) => ({ face, ...one }))),
  )('$face, $rule: the failure is reported, and the text so far is the start of the answer', async ({
    face,
    rule,
    code,
  }) => {
    const plain = await plainAnswer(face);
    // An earlier test may have revoked the token. Renew the token now, so that its renewal does not use up the fault
    // that follows.
    await ask(agentOf(face, 'echo'), { text: question });
    await fault(rule);
    const asked = await ask(agentOf(face, 'echo'), { text: question });
    expect(codeOf(asked.error)).toEqual(code);
    expect(plain.startsWith(asked.text)).toBe(true);
  });

  it('a clock ten minutes off is corrected', async () => {
    await fault({ fault: 'F14', mode: 'clock', count: null });
    const other = clientOf(sandbox.url, { random: Math.random });
    const { openClient } = sandboxCatalogue;
    const gateway = other.gateway({
      credential: {
        kind: 'client-account',
        client: openClient.client,
        secret: new Secret(openClient.secret),
        account: openClient.account,
      },
      expertCode: 'echo',
    });
    expect((await ask(gateway, { text: 'hi' })).error).toBeUndefined();
    expect(other.lines.some(({ level }) => level === 'warn')).toBe(true);
    await other.platform.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileView, RoomPage } from '../../../adapters/console/wire.ts';
import { json, openRig, type Rig, rawCall } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const png = Buffer.concat([bytesOf('\x89PNG\r\n\x1a\n'), Buffer.alloc(32, 7)]);
const upload = (name: string, body: Buffer, type = 'application/octet-stream') =>
  rig.call(`/console/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': type },
  });
const sendTo = (body: unknown) => rig.call('/console/rooms/general/messages', json(body));
const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; message: string } }).error,
});

describe('the browser’s preferred language', () => {
  const ask = async (languages: Record<string, string>, nonce: string) => {
    const { headers, ...rest } = json({ as: 'engineer', text: '@knowledge x', files: [], nonce });
    await rig.call('/console/rooms/general/messages', { ...rest, headers: { ...headers, ...languages } });
    return rig.host.taken.at(-1);
  };

  it('is sent with the question', async () => {
    const sender = { id: 'engineer', locale: 'de-AT' };
    expect(await ask({ 'accept-language': 'en;q=0.5, de-AT' }, 'l1')).toMatchObject({ message: { sender } });
    // If a request names no usable language, the person's last known language is used.
    expect(await ask({ 'accept-language': '*' }, 'l2')).toMatchObject({ message: { sender } });
    expect(await ask({ 'accept-language': 'x-klingon-xx' }, 'l3')).toMatchObject({ message: { sender } });
  });

  it('is that of the person, and not of whoever wrote last', async () => {
    for (const [as, language] of [
      ['engineer', 'de'],
      ['designer', 'fr'],
    ] as const) {
      const { headers, ...rest } = json({ as, text: '@knowledge x', files: [], nonce: language });
      const sent = { ...rest, headers: { ...headers, 'accept-language': language } };
      await rig.call('/console/rooms/general/messages', sent);
    }
    const later = ['engineer', 'designer', 'manager'].map(async (as, nth) => {
      await sendTo({ as, text: '@knowledge x', files: [], nonce: `later ${nth}` });
    });
    await Promise.all(later);
    const senders = rig.host.taken
      .slice(-3)
      .flatMap((event) => (event.kind === 'ask' ? [event.message.sender] : []));
    expect(new Map(senders.map(({ id, locale }) => [id, locale]))).toEqual(
      new Map([
        ['engineer', 'de'],
        ['designer', 'fr'],
        ['manager', undefined],
      ]),
    );
  });
});

describe('messages', () => {
  const whole = { as: 'engineer', text: 'x', files: [], nonce: 'n' };

  it('may have 100,000 characters; a longer one is refused with both numbers', async () => {
    const text = `@knowledge ${'語'.repeat(100_000 - 11)}`;
    expect((await rig.say('general', { text })).text).toBe(text);
    expect(rig.host.taken.at(-1)).toMatchObject({ message: { text: text.slice(11) } });
    const error = await errorOf(await sendTo({ ...whole, text: `${text}!`, nonce: 'long' }));
    expect(error).toMatchObject({ status: 400, code: 'question-too-long' });
    expect(error.message).toContain('100,001 characters; up to 100,000');
  });

  it.each([
    ['', 'question-empty'],
    [' \n\t ', 'question-empty'],
  ])('are refused with a hint if the text is %j', async (text, code) => {
    const error = await errorOf(await sendTo({ ...whole, text }));
    expect(error).toMatchObject({ status: 400, code });
    expect(error.message).toMatch(/^That message is empty/);
  });

  const unread = 'The request could not be read. Please reload the page and try again.';
  const lacks = (key: string) => `The request lacks "${key}". Please reload the page.`;
  it.each([
    ['no JSON', '{', unread],
    ['an array', '[]', unread],
    ['a deep body', '['.repeat(100_000), unread],
    ['no text', { ...whole, text: undefined }, lacks('text')],
    ['a number as text', { ...whole, text: 1 }, lacks('text')],
    [
      'an unknown person',
      { ...whole, as: 'nobody' },
      'That person does not exist here. Please reload the page.',
    ],
    ['files that are no list', { ...whole, files: 'x' }, lacks('files')],
    ['a file that is not a text', { ...whole, files: [1] }, lacks('files')],
    [
      'too many files',
      { ...whole, files: Array.from({ length: 11 }, (_, one) => `${one}`) },
      'Up to 10 files can be sent with one message.',
    ],
    [
      'an unknown file',
      { ...whole, files: ['nothing'] },
      'One of the files is no longer kept. Please add it again.',
    ],
    ['no nonce', { ...whole, nonce: '' }, '"nonce" has no valid value. Please reload the page.'],
    [
      'a long nonce',
      { ...whole, nonce: 'n'.repeat(201) },
      '"nonce" has no valid value. Please reload the page.',
    ],
    ['a thread that is not a text', { ...whole, thread: 1 }, lacks('thread')],
  ])('are refused with a sentence for %s', async (_what, body, message) => {
    expect(await errorOf(await sendTo(body))).toEqual({ status: 400, code: 'bad-request', message });
  });

  it('are refused for an unknown room, thread or address', async () => {
    const nowhere = await rig.call('/console/rooms/nowhere/messages', json(whole));
    expect(nowhere.status).toBe(404);
    expect((await sendTo({ ...whole, thread: 'nothing' })).status).toBe(404);
    expect((await rig.call('/console/rooms/general/threads/nothing')).status).toBe(404);
    expect((await rig.call('/console/else')).status).toBe(404);
    expect((await rig.call('/console/rooms/%ff')).status).toBe(400);
  });

  it('are refused beyond 1 MiB, with and without a Content-Length', async () => {
    const large = Buffer.alloc(1024 * 1024 + 1, 32);
    expect((await sendTo(large.toString())).status).toBe(413);
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const path = '/console/rooms/general/messages';
    expect((await rawCall(rig, path, { method: 'POST', headers, body: large })).status).toBe(413);
  });

  it('keep NUL and lone surrogates as the replacement character', async () => {
    const message = await rig.say('general', { text: 'a\0b\ud800c' });
    expect(message.text).toBe('a\ufffdb\ufffdc');
    const page = await rig.get<RoomPage>('/console/rooms/general');
    expect(page.messages.at(-1)?.text).toBe('a\ufffdb\ufffdc');
  });
});

describe('files', () => {
  it('are kept, shown inline if they are images, and passed to the bridge', async () => {
    const file = (await (await upload('cat.png', png, 'image/png')).json()) as FileView;
    expect(file).toMatchObject({ name: 'cat.png', type: 'image/png', bytes: 40, image: true });
    const shown = await rig.call(`/console/files/${file.id}`);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/);
    expect(shown.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
    await rig.say('direct~engineer~vision', { text: '', files: [file.id] });
    const { id, name, type, bytes } = file;
    expect(rig.host.taken.at(-1)).toMatchObject({
      message: { text: '', files: [{ id, name, type, bytes }] },
    });
    const { signal } = new AbortController();
    expect(Buffer.from(await rig.adapter.openFile({ id, name, type, bytes }, 40, signal))).toEqual(png);
    await expect(rig.adapter.openFile({ id, name, type, bytes }, 39, signal)).rejects.toMatchObject({
      code: 'image-refused',
    });
  });

  it.each([
    ['cat.png', '<html><script>alert(1)</script>', 'image/png'],
    ['cat.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['cat.gif', 'GIF89a\x01<script>alert(1)</script>', 'image/gif'],
    ['cat', 'just words', 'image/webp'],
  ])('are refused if %s has the content of another type', async (name, content, type) => {
    expect(await errorOf(await upload(name, bytesOf(content), type))).toMatchObject({
      status: 400,
      code: 'not-an-image',
    });
  });

  it.each([
    ['page.html', '<html><script>alert(1)</script>'],
    ['a.gifx', 'GIF89a\x01<svg onload=alert(1)>'],
  ])('with markup, such as %s, are sent only as downloads without a type', async (name, content) => {
    const file = (await (await upload(name, bytesOf(content), 'text/html')).json()) as FileView;
    expect(file.image).toBe(false);
    const shown = await rig.call(`/console/files/${file.id}`);
    expect(shown.headers.get('content-type')).toBe('application/octet-stream');
    expect(shown.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['..\\..\\etc/pass\u0000wd.png', 'passwd.png'],
    ['invoice\u202egnp.exe', 'invoicegnp.exe.png'],
    ['photo.jpeg', 'photo.jpeg.png'],
    ['.png', 'png.png'],
    ['/\u200b', 'file.png'],
    [`${'n'.repeat(300)}.png`, `${'n'.repeat(116)}.png`],
  ])('get a clean name in place of %j', async (name, clean) => {
    const file = (await (await upload(name, png)).json()) as FileView;
    expect(file.name).toBe(clean);
  });

  it('are refused if they are empty or above 10 MiB', async () => {
    expect((await upload('a.txt', Buffer.alloc(0))).status).toBe(400);
    expect((await upload('a.bin', Buffer.alloc(10 * 1024 * 1024))).status).toBe(200);
    expect(await errorOf(await upload('a.bin', Buffer.alloc(10 * 1024 * 1024 + 1)))).toMatchObject({
      status: 413,
      message: 'That file is too large: up to 10 MiB can be sent.',
    });
    expect((await rig.call('/console/files/..%2fconsole.sqlite')).status).toBe(404);
  });
});

it('keeps running after a sender breaks off', async () => {
  const abort = new AbortController();
  const body = new ReadableStream({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(1_000));
      abort.abort();
    },
  });
  const init = { method: 'POST', body, duplex: 'half', signal: abort.signal } as RequestInit;
  await expect(rig.call('/console/files?name=x', init)).rejects.toThrow();
  expect((await rig.call('/console/state')).status).toBe(200);
});

describe('the agent of a message', () => {
  it.each([
    ['@parley vision: hi', 'vision', 'hi'],
    ['Well, @parley Vision: hi', undefined, 'Well, Vision: hi'],
    ['@Parley, @vision: hi', 'vision', 'hi'],
    ['@parley nobody: hi', undefined, 'nobody: hi'],
    ['@vision: hi', 'vision', 'hi'],
  ])('is for %j the agent %s', async (text, agent, words) => {
    await rig.say('general', { text });
    const taken = rig.host.taken.at(-1);
    if (taken?.kind !== 'ask') throw new Error('nothing was asked');
    expect([taken.message.agent, taken.message.text]).toEqual([agent, words]);
  });
});

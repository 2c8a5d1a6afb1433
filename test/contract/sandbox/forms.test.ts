import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Answer, call, openToken, shared } from './support.ts';
import { FILES, formOf, openWire } from './wire.ts';

const sandbox = await shared({ options: { fileStateMs: 0 } });
const wire = await openWire(sandbox);
const admin = await openToken(sandbox, 'admin');

const MOON = 'The moon base has seventeen airlocks.';
const post = (body: Buffer | string, type: string, headers = admin): Promise<Answer> =>
  call(`${sandbox.url}${FILES}/upload`, { body, headers: { ...headers, 'content-type': type } });
const kept = async (): Promise<number> =>
  (await wire.whole('POST', FILES, { workspace: 'folder' })).totalCount;

describe('a form', () => {
  it.each([
    ['bare', 'multipart/form-data; boundary=a-boundary'],
    ['quoted', 'multipart/form-data; boundary="a-boundary"'],
    ['after another parameter', 'Multipart/Form-Data; charset=utf-8; BOUNDARY=a-boundary; x=y'],
  ])('is accepted with a %s boundary', async (_what, type) => {
    const answer = await post(
      formOf({ workspace: 'folder' }, [['file', { name: 'x.md', text: MOON }]]).body,
      type,
    );
    expect(answer.json).toMatchObject({ success: true });
    await wire.remove(answer.json.data.fileId);
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="',
    'multipart/form-data; xboundary=a-boundary',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    `multipart/form-data; boundary=${'b'.repeat(5000)}`,
    'multipart/form-data; boundary=another',
    'multipart/mixed; boundary=a-boundary',
    'application/json',
    'application/x-www-form-urlencoded',
  ])('of type %j is refused with a sentence', async (type) => {
    const answer = await post(
      formOf({ workspace: 'folder' }, [['file', { name: 'x.md', text: MOON }]]).body,
      type,
    );
    expect(answer).toMatchObject({
      status: 400,
      json: { success: false, msg: expect.stringMatching(/multipart/) },
    });
    expect(await kept()).toBe(0);
  });

  it('that ends early is refused at every place, and nothing is stored', async () => {
    // The body contains several texts that look like the end of the form.
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const file = part('file"; filename="cut.md', 'One\r\n--\r\n---\r\n--\r\n');
    const body = Buffer.from(`${file}${part('workspace', 'folder')}${part('note', 'ends --')}--b--`);
    const type = 'multipart/form-data; boundary=b';
    for (let length = 0; length < body.length; length += 1) {
      expect((await post(body.subarray(0, length), type)).status, `cut at ${length}`).toBe(400);
    }
    expect(await kept()).toBe(0);
    const answer = await post(body, type);
    expect(answer.json).toMatchObject({ success: true });
    await wire.remove(answer.json.data.fileId);
  });

  it('with texts that look like its end is read to its real end', async () => {
    const whole = formOf({ workspace: 'folder' }, [['file', { name: 'x.md', text: MOON }]], 'odd--');
    const cut = whole.body.subarray(0, whole.body.lastIndexOf('--odd--') + '--odd--'.length);
    expect((await post(cut, whole.type)).status).toBe(400);
    expect(await kept()).toBe(0);
  });

  it('with 10,000 parts is refused, for files, texts and both', async () => {
    const files = Array.from(
      { length: 10_000 },
      (_, nth) => ['file', { name: `f${nth}.md`, text: 'x' }] as const,
    );
    const texts = Object.fromEntries(files.map(([, { name }]) => [name, 'x']));
    for (const form of [
      formOf({ workspace: 'folder' }, files),
      formOf({ workspace: 'folder', ...texts }, []),
      formOf({ workspace: 'folder', ...texts }, files),
    ]) {
      expect(await post(form.body, form.type)).toMatchObject({
        status: 400,
        json: { success: false, msg: expect.stringMatching(/At most|too many/) },
      });
    }
    expect(await kept()).toBe(0);
  });

  it.each([
    [
      'a text of 1 MiB',
      formOf({ workspace: 'f'.repeat(1024 * 1024) }, []).body,
      /^The field workspace is larger/,
    ],
    [
      'a part without a name',
      '--a-boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n--a-boundary--\r\n',
      /broken/,
    ],
    ['an open quotation', formOf({ 'workspace"': 'x' }, []).body, /broken/],
    [
      'a file name with a line break',
      formOf({}, [['file', { name: 'a\r\nX: y.md', text: MOON }]]).body,
      /broken/,
    ],
  ])('with %s is refused', async (_what, body, msg) => {
    const answer = await post(body, 'multipart/form-data; boundary=a-boundary');
    expect(answer).toMatchObject({ status: 400, json: { msg: expect.stringMatching(msg) } });
  });

  it('is not read before its sender is authenticated', async () => {
    expect((await post('nonsense', 'text/plain', {})).status).toBe(401);
    expect((await post('nonsense', 'text/plain', { authorization: 'openapi x' })).status).toBe(401);
  });

  it('of more bytes than any upload may have is refused before it is sent', async () => {
    const { port } = new URL(sandbox.url);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
    socket.write(
      `POST ${FILES}/upload HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${admin.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 99999999999\r\n\r\n`,
    );
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it('with a wrong content length stores nothing', async () => {
    const { type, body } = formOf({ workspace: 'folder' }, [['file', { name: 'liar.md', text: MOON }]]);
    const { port } = new URL(sandbox.url);
    for (const length of [body.length + 100, body.length - 100]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(
        `POST ${FILES}/upload HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${admin.authorization}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
      );
      socket.end(body);
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect(await kept()).toBe(0);
  });
});

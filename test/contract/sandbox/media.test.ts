import { describe, expect, it } from 'vitest';
import {
  askByKey,
  CORPUS,
  call,
  key,
  liteToken,
  manualClock,
  multipart,
  PIXEL,
  shared,
  user,
  uuid,
} from './support.ts';

const UPLOAD = '/webapi/lite_api/v2/api/chat-with-bot/upload-images';
const EXCHANGE = '/webapi/knowledge/v1/file/ekb-temporary';

describe('sandbox: images and documents', async () => {
  const clock = manualClock();
  const sandbox = await shared({ clock, knowledge: [CORPUS] });
  const token = await liteToken(sandbox);
  const upload = (parts: Parameters<typeof multipart>[0], path = UPLOAD) => {
    const wire = multipart(parts);
    return call(sandbox.url + path, { ...wire, headers: { ...wire.headers, ...key('image-demo') } });
  };
  const pixel = (name: string) => ({ field: 'files', name, bytes: PIXEL });

  it('accepts images in both forms and shows them to the agent in order', async () => {
    const answer = await upload([pixel('one.png'), pixel('two.png')]);
    expect([answer.status, answer.json.code]).toEqual([200, 201]);
    expect(answer.json.data.ids).toHaveLength(2);
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image_ids', image_ids: answer.json.data.ids },
    ];
    const seen = await askByKey(sandbox, 'image-demo', user(content));
    const text: string = seen.json.data.full_output;
    expect(text).toMatch(/^I received 2 images:/);
    const one = [content[0], { type: 'image_ids', image_ids: answer.json.data.ids.slice(1) }];
    const single = await askByKey(sandbox, 'image-demo', user(one));
    expect(single.json.data.full_output).toMatch(/^I received one image:/);
    expect(text.indexOf('one.png')).toBeLessThan(text.indexOf('two.png'));
    const ids = Array.from({ length: 11 }, () => answer.json.data.ids[0]);
    const withImages = (image_ids: readonly string[]) => ({ type: 'image_ids', image_ids });
    for (const [parts, code] of [
      [[withImages(ids.slice(1))], 200],
      [[withImages(ids)], 422],
      [[withImages(ids.slice(1)), withImages(ids.slice(10))], 422],
    ] as const) {
      const reply = await askByKey(sandbox, 'image-demo', user(parts));
      expect(reply.json.code).toBe(code);
    }
    const older = await upload(
      [pixel('x.png')],
      `/webapi/lite_api/v2/api/chat-with-bot/${uuid(sandbox, 'echo')}/upload-images`,
    );
    expect([older.json.code, older.headers.deprecation]).toEqual([201, 'true']);
    sandbox.options.uploadCreated = true;
    expect((await upload([pixel('x.png')])).status).toBe(201);
    sandbox.options.uploadCreated = false;
  });

  it('refuses files that are no images, too many or no images, and malformed bodies', async () => {
    expect((await upload([{ field: 'other', name: 'a.png', bytes: PIXEL }])).json.code).toBe(40001);
    expect((await upload([{ field: 'files', name: 'a.png', bytes: Buffer.from('<svg/>') }])).json.code).toBe(
      422,
    );
    expect((await upload(Array.from({ length: 11 }, (_, n) => pixel(`${n}.png`)))).json.code).toBe(422);
    expect(
      (
        await upload([
          { field: 'files', name: 'big.png', bytes: Buffer.concat([PIXEL, Buffer.alloc(10 * 1024 * 1024)]) },
        ])
      ).json.code,
    ).toBe(422);
    const send = (headers: Record<string, string>, body: string) =>
      call(sandbox.url + UPLOAD, { body, headers: { ...headers, ...key('echo') } });
    expect((await send({ 'content-type': 'application/json' }, '{}')).json.code).toBe(422);
    expect((await send({ 'content-type': 'multipart/form-data; boundary=x' }, 'no parts here')).status).toBe(
      400,
    );
    expect(
      (
        await send(
          { 'content-type': 'multipart/form-data; boundary=x' },
          '--x\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\nhalf',
        )
      ).status,
    ).toBe(400);
    expect((await call(sandbox.url + UPLOAD, { ...multipart([pixel('a.png')]) })).status).toBe(401);
  });

  it('exchanges a file id for a link that needs the token and expires', async () => {
    const shown = await askByKey(sandbox, 'image-demo', user('x'));
    const fileId = /!\[[^\]]*\]\((\d{4,})\)/.exec(shown.json.data.full_output)?.[1] ?? '';
    const exchange = (body: unknown, headers = token) => call(sandbox.url + EXCHANGE, { body, headers });
    const { data } = (await exchange({ file_id: [fileId] })).json;
    expect(data).toEqual([
      {
        file_id: fileId,
        url: expect.stringContaining(`${sandbox.url}/webapi/knowledge/v1/file/ekb-temporary-file/`),
      },
    ]);
    const image = await call(data[0].url, { headers: token });
    expect([image.status, image.headers['content-type'], image.bytes.subarray(1, 4).toString()]).toEqual([
      200,
      'image/png',
      'PNG',
    ]);
    expect((await call(data[0].url)).status).toBe(401);
    expect((await call(`${data[0].url}x`, { headers: token })).status).toBe(404);
    clock.advance(301_000);
    expect((await call(data[0].url, { headers: token })).status).toBe(410);
    expect((await exchange({ file_id: fileId })).json.code).toBe(200);
    expect((await exchange({})).json.code).toBe(40001);
    expect((await exchange({ file_id: ['99'] })).json.code).toBe(422);
    expect((await exchange({ file_id: [fileId] }, {})).status).toBe(401);
  });

  it('serves the details and the preview of a document', async () => {
    const [document] = sandbox.documents();
    const detail = async (id: string, body?: string) =>
      (
        await call(`${sandbox.url}/webapi/knowledge/v1/rag/get_detail?document_id=${id}`, {
          method: 'GET',
          headers: token,
          body,
        })
      ).json;
    const { data } = await detail(document?.id ?? '', '{}');
    expect(data).toMatchObject({
      document_id: document?.id,
      file_name: document?.name,
      objectType: 'file',
      filetype: expect.any(Number),
    });
    expect(data.id).not.toBe(document?.id);
    const preview = (body: unknown) =>
      call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-preview`, { body, headers: token });
    const { id, objectType, filetype } = data;
    const link = (await preview({ id, objectType, filetype })).json.data.url;
    expect((await call(link)).text).toContain(document?.title ?? 'no title');
    for (const name of ['id', 'objectType', 'filetype']) {
      expect((await preview({ id, objectType, filetype, [name]: undefined })).json.code).toBe(40001);
    }
    expect((await preview({ id, objectType, filetype: 'pdf' })).json.code).toBe(422);
    expect((await detail('123')).code).toBe(422);
    expect((await detail('')).code).toBe(40001);
  });
});

/** Tests bodies in other charsets and with other content encodings than the bridge asked for, and a clock that differs. */

import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { api } from '../../../src/platform/api.ts';
import { givesTokens, sendJson, TOKEN } from '../../fakes/hostile-platform.ts';
import { eachWithRig } from './typed-client.ts';

const rig = eachWithRig();
const ME = '/v1/openapi/user/me';
const serves = (bytes: Buffer, headers: Record<string, string>) =>
  rig.server.on(ME, (_request, response) => void response.writeHead(200, headers).end(bytes));
const body = (name: string) => JSON.stringify({ success: true, data: { id: '1', userName: name } });

it.each([
  ['application/json; charset=iso-8859-1', Buffer.from(body('Zoë'), 'latin1'), 'Zoë'],
  ['application/json; charset="UTF-16LE"', Buffer.from(body('Zoë'), 'utf16le'), 'Zoë'],
  [
    'application/json;charset=gbk',
    Buffer.concat([
      Buffer.from('{"success":true,"data":{"id":"1","userName":"'),
      Buffer.from([0xc4, 0xe3]),
      Buffer.from('"}}'),
    ]),
    '你',
  ],
  ['application/json', Buffer.from(body('Zoë')), 'Zoë'],
])('%s is decoded', async (type, bytes, userName) => {
  serves(bytes, { 'content-type': type });
  expect(await rig.client.call(api.me, {})).toMatchObject({ userName });
});

it.each([
  ['application/json', Buffer.from(body('Zoë'), 'latin1'), 'is not utf-8'],
  ['application/json; charset=klingon', Buffer.from(body('Zoë')), 'charset that the bridge cannot read'],
])('malformed or unknown text is refused: %s', async (type, bytes, told) => {
  serves(bytes, { 'content-type': type });
  await expect(rig.client.call(api.me, {})).rejects.toThrow(told);
});

it('the charset of a stream is respected', async () => {
  rig.server.on(api.askExpert.path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=iso-8859-1' });
    response.end(Buffer.from('data: {"content":"Zoë","finish_reason":"stop"}\n\n', 'latin1'));
  });
  expect(await rig.client.call(api.askExpert, { expertCode: 'e', content: 'Hi' })).toMatchObject({
    text: 'Zoë',
  });
});

it.each([
  ['deflate', deflateSync(body('ada'))],
  ['deflate', deflateRawSync(body('ada'))],
  ['identity, gzip', gzipSync(body('ada'))],
  ['gzip, identity', gzipSync(body('ada'))],
  ['deflate, gzip', gzipSync(deflateRawSync(body('ada')))],
])('the content encoding %s is decoded', async (encoding, bytes) => {
  serves(bytes, { 'content-type': 'application/json', 'content-encoding': encoding });
  expect(await rig.client.call(api.me, {})).toMatchObject({ userName: 'ada' });
});

it('a clock that is refused only by a code is corrected by the header date (AUT-11)', async () => {
  rig.server.on(TOKEN, (request, response, nth) => {
    response.setHeader('date', new Date(Date.now() + 600_000).toUTCString());
    if (nth === 1) sendJson(response, { success: false, code: 40103, msg: '' });
    else givesTokens(request, response, nth);
  });
  rig.server.on(ME, (_request, response) => sendJson(response, JSON.parse(body('ada'))));
  expect(await rig.client.call(api.me, {})).toMatchObject({ userName: 'ada' });
  const [first, second] = rig.server.paths(TOKEN).map((each) => JSON.parse(each.body).timestamp);
  expect(second - first).toBeGreaterThan(500_000);
});

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../src/sandbox/index.ts';
import {
  CORPUS,
  call,
  events,
  type Json,
  KEY_CHAT,
  key,
  multipart,
  openToken,
  PIXEL,
  start,
  user,
} from './support.ts';

/** A server that speaks the streaming protocol of an OpenAI-compatible endpoint. */
function modelServer(seen: Json[], mode: { broken: boolean }): Server {
  return createServer(async (request, response) => {
    seen.push({
      path: request.url,
      authorization: request.headers.authorization,
      body: await bodyOf(request),
    });
    if (mode.broken) {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":{"message":"no such model"}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of ['A visitor pass ', 'lasts a day ', '[1].']) {
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`,
      );
    }
    response.end('data: [DONE]\n\n');
  });
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

describe('sandbox: answers of an OpenAI-compatible model', () => {
  const seen: Json[] = [];
  const mode = { broken: false };
  const server = modelServer(seen, mode);
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const model = { url: `http://127.0.0.1:${port}/v1`, key: 'model-key', model: 'small' };
    sandbox = await start({ knowledge: [CORPUS], model });
    await sandbox.indexed;
  });
  afterAll(async () => {
    await sandbox.close();
    server.close();
  });

  it('streams its words over the retrieved passages and remembers the turns', async () => {
    const headers = await openToken(sandbox);
    const ask = (content: string, sessionId: string | null) =>
      call(`${sandbox.url}/openapi/chat/expert`, {
        body: { expertCode: 'knowledge', content, sessionId, stream: true },
        headers,
      });
    const chunks = events((await ask('How long is a visitor pass valid?', null)).text);
    const words = chunks.map(({ data }) => data.data.content).filter((content) => content !== '');
    expect(words).toEqual(['A visitor pass ', 'lasts a day ', '[1].']);
    expect(seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer model-key',
      body: { model: 'small', stream: true },
    });
    const asked = JSON.stringify(seen[0].body.messages.at(-1));
    expect(asked).toContain('valid for one working day');
    await ask('and a week pass?', chunks[0]?.data.data.sessionId);
    expect(seen[1].body.messages).toContainEqual({
      role: 'assistant',
      content: 'A visitor pass lasts a day [1].',
    });
  });

  it('sees the images of the question', async () => {
    const wire = multipart([{ field: 'files', name: 'a.png', bytes: PIXEL }]);
    const upload = await call(`${sandbox.url}/webapi/lite_api/v2/api/chat-with-bot/upload-images`, {
      ...wire,
      headers: { ...wire.headers, ...key('knowledge') },
    });
    const content = [
      { type: 'text', text: 'what is on this badge?' },
      { type: 'image_ids', image_ids: upload.json.data.ids },
    ];
    await call(sandbox.url + KEY_CHAT, { body: user(content), headers: key('knowledge') });
    const parts = seen.at(-1).body.messages.at(-1).content;
    expect(parts.at(-1)).toEqual({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${PIXEL.toString('base64')}` },
    });
  });

  it('says that the model failed', async () => {
    mode.broken = true;
    const answer = await call(sandbox.url + KEY_CHAT, {
      body: user('visitor pass'),
      headers: key('knowledge'),
    });
    mode.broken = false;
    expect([answer.status, answer.json.code]).toEqual([500, 50001]);
    expect(answer.json.message).toContain('The model small did not answer');
    expect(answer.text).not.toContain('model-key');
  });
});

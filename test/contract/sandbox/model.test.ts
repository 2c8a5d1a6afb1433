import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import {
  askByKey,
  askExpert,
  CORPUS,
  call,
  events,
  type Json,
  key,
  liteToken,
  multipart,
  openToken,
  PIXEL,
  shared,
  user,
} from './support.ts';

/** Returns a server that speaks the streaming protocol of OpenAI-compatible endpoints. */
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

describe('sandbox: answers of an OpenAI-compatible model', async () => {
  const seen: Json[] = [];
  const mode = { broken: false };
  const server = modelServer(seen, mode);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const model = { url: `http://127.0.0.1:${port}/v1`, key: 'model-key', model: 'small' };
  const sandbox = await shared({ knowledge: [CORPUS], withGuides: true, model });

  it('streams its answer from the retrieved passages and sees the earlier turns', async () => {
    const headers = await openToken(sandbox);
    const ask = (content: string, sessionId: string | null) =>
      askExpert(sandbox, { expertCode: 'knowledge', content, sessionId, stream: true }, headers);
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

  it('gets the sections that listed questions find', async () => {
    const body = user('Wie halte ich eine laufende Antwort an?');
    await askByKey(sandbox, 'guide', body);
    expect(JSON.stringify(seen.at(-1).body.messages.at(-1))).toContain('Stop an answer, retry, fail');
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
    await askByKey(sandbox, 'knowledge', user(content));
    const parts = seen.at(-1).body.messages.at(-1).content;
    expect(parts.at(-1)).toEqual({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${PIXEL.toString('base64')}` },
    });
  });

  describe('for an agent made through the API (BOT-4, BOT-6)', () => {
    const names = [{ languageCode: 'en-US', content: 'Guide' }];
    const make = async (body: object): Promise<void> => {
      const headers = await openToken(sandbox, 'admin');
      const made = await call(`${sandbox.url}/openapi`, { body: { names, ...body }, headers });
      expect(made.json.success).toBe(true);
    };
    const ask = async (expertCode: string, content: string, sessionId: string | null = null) => {
      const headers = await openToken(sandbox, 'admin');
      const body = { expertCode, content, sessionId };
      return (await askExpert(sandbox, body, headers)).json.data;
    };
    /** Returns the sandbox's last request to the model. */
    const sent = (): Json => seen.at(-1).body;

    it('follows its prompt freely without documents', async () => {
      const descriptions = [{ languageCode: 'en-US', content: 'Helps visitors.' }];
      await make({ code: 'free', descriptions, chatPrompt: 'Speak like a pirate.' });
      const answer = await ask('free', 'How long is a visitor pass valid?');
      expect(answer.content).toBe('A visitor pass lasts a day [1].');
      const [system, question] = sent().messages;
      expect(system.content).toMatch(/\n\nYou are Guide\.\nHelps visitors\.\nSpeak like a pirate\.$/);
      expect(system.content).not.toContain('passages');
      expect(question.content).toEqual([{ type: 'text', text: 'How long is a visitor pass valid?' }]);
      expect(answer.suggestionQuestions ?? []).toEqual([]);
    });

    it('gets the configured temperature and topP, and none by default', async () => {
      await make({ code: 'warm', temperature: 0, topP: 0.5 });
      await make({ code: 'plain' });
      await ask('warm', 'Where?');
      expect(sent()).toMatchObject({ temperature: 0, top_p: 0.5 });
      for (const code of ['plain', 'knowledge']) {
        await ask(code, 'Where?');
        expect(Object.keys(sent()).sort()).toEqual(['messages', 'model', 'stream']);
      }
    });

    it.each([
      [0, 2],
      [1, 4],
      [12, 22],
      [undefined, 18],
    ])('with historyRecordNumber %s gets %s messages after ten questions', async (turns, messages) => {
      await make({ code: `turns-${turns}`, historyRecordNumber: turns });
      const { sessionId } = await ask(`turns-${turns}`, 'Question 0');
      for (let at = 1; at < 10; at += 1) await ask(`turns-${turns}`, `Question ${at}`, sessionId);
      await ask(`turns-${turns}`, 'Last', sessionId);
      expect(sent().messages).toHaveLength(messages);
      if (messages > 2) expect(sent().messages.at(-3).content).toBe('Question 9');
    });

    it('answers from its documents with citations, and without them if references are not shown', async () => {
      await make({ code: 'cites', useKnowledgeBase: true });
      await ask('cites', 'How long is a visitor pass valid?');
      expect(sent().messages[0].content).toContain('cite its number');
      expect(sent().messages[0].content).toMatch(/You are Guide\.$/);
      expect(JSON.stringify(sent().messages.at(-1))).toContain('valid for one working day');
      const lite = await liteToken(sandbox, 'admin');
      const info = { name: 'Discreet', knowledge_config: { show_reference: false } };
      const body = { info, knowledge_bases: [{ workspaces: ['folder'] }] };
      await call(`${sandbox.url}/lite_api/v1/robots/`, { body, headers: lite });
      const { agents } = (await call(`${sandbox.url}/`)).json;
      await ask(agents.at(-1).expertCode, 'How long is a visitor pass valid?');
      expect(sent().messages[0].content).toContain('Do not cite');
      expect(sent().messages[0].content).not.toContain('cite its number');
    });

    it('greets with its welcome without a request to the model', async () => {
      await make({ code: 'greets', welcomes: [{ languageCode: 'en-US', content: 'Ahoy.' }] });
      const before = seen.length;
      expect((await ask('greets', 'Hello')).content).toBe('Ahoy.');
      expect(seen).toHaveLength(before);
    });
  });

  it('reports a failure of the model', async () => {
    mode.broken = true;
    const answer = await askByKey(sandbox, 'knowledge', user('visitor pass'));
    mode.broken = false;
    expect([answer.status, answer.json.code]).toEqual([500, 50001]);
    expect(answer.json.message).toContain('The model small did not answer');
    expect(answer.text).not.toContain('model-key');
  });
});

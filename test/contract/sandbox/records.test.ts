import { describe, expect, it } from 'vitest';
import { askByKey, CORPUS, call, openToken, shared, start, user } from './support.ts';

const sandbox = await shared({ knowledge: [CORPUS] });
const headers = await openToken(sandbox, 'admin');
const names = [{ languageCode: 'en-US', content: 'Made' }];
await call(`${sandbox.url}/openapi`, { body: { code: 'made', names }, headers });
await askByKey(sandbox, 'echo', user('Echo'));

describe("the operator's view (LOC-5)", () => {
  it('lists agents, clients, users, organizations, workspaces, files with their state, and chats', async () => {
    const { status, json } = await call(`${sandbox.url}/`);
    expect(status).toBe(200);
    expect(json).toEqual({
      agents: expect.arrayContaining([
        expect.objectContaining({ expertCode: 'knowledge', apiKey: 'sandbox-key-knowledge', deadline: '' }),
        expect.objectContaining({ expertCode: 'made', apiKey: expect.stringMatching(/^sandbox-key-/) }),
      ]),
      clients: expect.arrayContaining([
        expect.objectContaining({ id: 'sandbox-lite-client' }),
        expect.objectContaining({ client: 'sandbox-open-client' }),
      ]),
      users: expect.arrayContaining([
        expect.objectContaining({ userName: 'member-two', roles: [expect.anything()] }),
      ]),
      organizations: expect.arrayContaining([expect.objectContaining({ name: 'Project office' })]),
      workspaces: expect.arrayContaining([expect.objectContaining({ name: 'handbook' })]),
      files: expect.arrayContaining([
        expect.objectContaining({ name: 'travel-and-expenses.md', state: 'success' }),
      ]),
      chats: [expect.objectContaining({ agent: 'echo', question: 'Echo', answer: 'Echo' })],
    });
  });

  it('is served to this machine only', async () => {
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      expect((await call(`${sandbox.url}/`, { headers })).status).toBe(403);
    }
  });

  it('shows no password', async () => {
    expect((await call(`${sandbox.url}/`)).text).not.toMatch(/password/i);
  });

  it('is below the base path', async () => {
    await using below = await start({ basePath: '/platform' });
    for (const address of [below.url, `${below.url}/`]) {
      expect((await call(address)).json).toMatchObject({ workspaces: expect.any(Array) });
    }
    expect((await call(`${below.url}form`)).status).toBe(404);
  });
});

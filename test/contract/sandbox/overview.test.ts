import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../sandbox/index.ts';
import { CORPUS, call, KEY_CHAT, key, openToken, start, user } from './support.ts';

let sandbox: RunningSandbox;
const HOSTILE = '<script>alert(1)</script>"\'&';
beforeAll(async () => {
  sandbox = await start({ knowledge: [CORPUS] });
  await sandbox.indexed;
  const headers = await openToken(sandbox, 'admin');
  const names = [{ languageCode: 'en-US', content: HOSTILE }];
  await call(`${sandbox.url}/openapi`, { body: { code: 'hostile', names }, headers });
  await call(sandbox.url + KEY_CHAT, { body: user(`Echo ${HOSTILE}`), headers: key('echo') });
});
afterAll(() => sandbox.close());

describe("the operator's page (LOC-5)", () => {
  it('lists agents, clients, users, organizations, workspaces, files with their state, and chats', async () => {
    const { status, text, headers } = await call(`${sandbox.url}/`);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['cache-control']).toBe('no-store');
    for (const shown of [
      'sandbox-key-knowledge',
      'sandbox-lite-client',
      'member-two',
      'Project office',
      'handbook',
      'travel-and-expenses.md',
      'success',
      'Echo',
    ]) {
      expect(text).toContain(shown);
    }
  });

  it('escapes all text from people', async () => {
    const { text } = await call(`${sandbox.url}/`);
    expect(text).not.toContain('<script');
    expect(text).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;');
  });

  it('and its data are served to this machine only', async () => {
    for (const path of ['/', '/__sandbox/overview']) {
      for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
        expect((await call(sandbox.url + path, { headers })).status).toBe(403);
      }
    }
  });

  it('shows neither passwords nor hashes', async () => {
    const { text, json } = await call(`${sandbox.url}/__sandbox/overview`);
    expect(text).not.toMatch(/password|hash/i);
    expect(Object.keys(json)).toEqual([
      'agents',
      'clients',
      'users',
      'organizations',
      'workspaces',
      'files',
      'chats',
    ]);
  });

  it('is below the base path', async () => {
    const below = await start({ basePath: '/platform' });
    for (const address of [below.url, `${below.url}/`]) {
      expect((await call(address)).text).toContain('<h1>Sandbox</h1>');
    }
    expect((await call(`${below.url}form`)).status).toBe(404);
    await below.close();
  });
});

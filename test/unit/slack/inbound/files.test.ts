import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { fileRef, openFile } from '../../../../adapters/slack/inbound/files.ts';
import { systemClock } from '../../../../src/clock.ts';
import { freeCalls } from '../free-calls.ts';

const acme: Workspace = { tenant: 'T1', botUser: 'U0', token: 'xoxb-1' };
const LIMIT = 1_000;
let installed: boolean;
let server: Server;
let other: Server;
let answer: RequestListener;
let seen: (string | undefined)[];
let elsewhere: (string | undefined)[];

const listen = async (listener: RequestListener): Promise<Server> => {
  const made = createServer(listener);
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
  return made;
};
const at = (which: Server) => `http://127.0.0.1:${(which.address() as AddressInfo).port}`;

beforeEach(async () => {
  [seen, elsewhere, installed] = [[], [], true];
  answer = (_, response) => response.end('bytes');
  server = await listen((request, response) => {
    seen.push(request.headers.authorization);
    answer(request, response);
  });
  other = await listen((request, response) => {
    elsewhere.push(request.headers.authorization);
    response.end('other');
  });
});
afterEach(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
});

function open(url: string | undefined): Promise<Uint8Array> {
  const apiUrl = `${at(server)}/api/`;
  const file = fileRef(
    { id: 'F1', name: 'a.png', type: 'image/png', bytes: 5, ...(url !== undefined && { url }) },
    'T1',
  );
  const workspaces = {
    find: async () => undefined,
    ofTenant: async (tenant: string) => (tenant === 'T1' && installed ? acme : undefined),
    disable: () => undefined,
    remove: async () => [],
  };
  return openFile(
    JSON.parse(JSON.stringify(file)),
    LIMIT,
    { workspaces, calls: freeCalls(apiUrl, systemClock, workspaces), apiUrl },
    new AbortController().signal,
  );
}

test('a file is opened by its stored id, with the token of its workspace', async () => {
  expect(Buffer.from(await open(`${at(server)}/f`)).toString()).toBe('bytes');
  expect(seen).toEqual(['Bearer xoxb-1']);
});

test('the address of a file without one is requested from Slack', async () => {
  answer = (request, response) => {
    if (request.url !== '/api/files.info') return response.end('bytes');
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ ok: true, file: { id: 'F1', url_private: `${at(server)}/f` } }));
  };
  expect(Buffer.from(await open(undefined)).toString()).toBe('bytes');
});

describe('no token is sent', () => {
  test.each([
    'http://evil.example/f',
    'https://evil.example/f',
    'https://files.slack.com.evil.example/f',
    'https://evilslack.com/f',
    'http://files.slack.com/f',
    'https://files.slack.com:8443/f',
    'https://user:pass@files.slack.com/f',
    'file:///etc/passwd',
    'not an address',
  ])('to %s', async (url) => {
    await expect(open(url)).rejects.toMatchObject({ code: 'image-refused' });
    expect([...seen, ...elsewhere]).toEqual([]);
  });

  test('after a redirect to another host', async () => {
    answer = (_, response) => response.writeHead(302, { location: `${at(other)}/f` }).end();
    await expect(open(`${at(server)}/f`)).rejects.toThrow('outside of Slack');
    expect(elsewhere).toEqual([]);
  });

  test('in a message about the refusal', async () => {
    answer = (_, response) => response.writeHead(403).end();
    const refusal = await open(`${at(server)}/f`).catch(String);
    expect(refusal).toContain('403');
    expect(refusal).not.toContain('xoxb');
  });
});

test('redirects inside Slack are followed, at most three times', async () => {
  answer = (request, response) => {
    const hop = Number(request.url?.slice(2) ?? 0);
    if (hop === 3) response.end('bytes');
    else response.writeHead(302, { location: `/f${hop + 1}` }).end();
  };
  expect(Buffer.from(await open(`${at(server)}/f0`)).toString()).toBe('bytes');
  answer = (_, response) => response.writeHead(302, { location: '/f' }).end();
  await expect(open(`${at(server)}/f`)).rejects.toThrow('redirects more than 3 times');
});

test.each([
  '<!DOCTYPE html><html>',
  '\ufeff \n<html lang="en">',
])('Slack’s sign-in page is refused, and the error names the scope: %j', async (html) => {
  answer = (_, response) => response.end(html);
  await expect(open(`${at(server)}/f`)).rejects.toThrow('files:read');
});

test('a file is read up to the limit only', async () => {
  let sent = 0;
  answer = (_, response) => {
    const write = (): void => {
      if (response.destroyed || sent > 100) return;
      sent += 1;
      response.write(Buffer.alloc(500), () => setImmediate(write));
    };
    write();
  };
  await expect(open(`${at(server)}/f`)).rejects.toThrow('larger than 1000 bytes');
});

test('a file of a workspace that removed the app is not opened', async () => {
  installed = false;
  await expect(open(`${at(server)}/f`)).rejects.toThrow('no longer installed');
  expect(seen).toEqual([]);
});

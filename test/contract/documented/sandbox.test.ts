/**
 * Sends every documented request to the sandbox as raw HTTP, and expects the documented envelope and members in each
 * response.
 */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import {
  addressOf,
  type Exchange,
  exchanges,
  FILES,
  filled,
  ids,
  type Json,
  methodOf,
  wireText,
  wireValue,
} from './exchanges.ts';

const CORPUS = new URL('../../../sandbox/corpus', import.meta.url).pathname;
const uuid = (name: string): string => sandboxCatalogue.agents.find((each) => each.name === name)?.uuid ?? '';

let sandbox: RunningSandbox;
let values: Record<string, string>;
beforeAll(async () => {
  const options = { paceMs: 0, fileStateMs: 0 };
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [CORPUS], options });
  await sandbox.indexed;
  values = initialValues();
  values.imageFile = await shownImage();
});
afterAll(() => sandbox.close());

/**
 * Returns the values that the first requests need. The signature covers names and values joined without separators
 * (AUT-10).
 */
function initialValues(): Record<string, string> {
  const { liteClient, openClient, workspaces } = sandboxCatalogue;
  const { client, secret } = openClient;
  const timestamp = String(Date.now());
  const nonce = 'a1b2c3';
  const plain = `client:${client}secret:${secret}account:admintimestamp:${timestamp}nonce:${nonce}`;
  return {
    liteClient: liteClient.clientId,
    liteSecret: liteClient.clientSecret,
    openClient: client,
    timestamp,
    nonce,
    signature: createHash('md5').update(plain, 'utf8').digest('hex'),
    agent: uuid('knowledge'),
    imageAgent: uuid('image-demo'),
    person: '1493041505002322002',
    document: sandbox.documents()[0]?.id ?? '',
    folder: workspaces.find(({ name }) => name === 'folder')?.id ?? '',
  };
}

/** Returns the file id that an answer contains in place of an image's address (CHL-18). */
async function shownImage(): Promise<string> {
  const headers = { 'api-key': 'sandbox-key-image-demo', 'content-type': 'application/json' };
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Show it' }] });
  const path = '/webapi/lite_api/v2/api/chat-with-bot/chat';
  const answer = await fetch(sandbox.url + path, { method: 'POST', headers, body });
  return /\]\((\d+)\)/.exec(await answer.text())?.[1] ?? '';
}

function headersOf({ credential, id }: Exchange): Record<string, string> {
  if (credential === 'key') {
    const agent = id === 'uploadImagesLegacy' ? 'image-demo' : 'knowledge';
    return { 'api-key': `sandbox-key-${agent}` };
  }
  if (credential === 'none') return {};
  if (credential === 'open') return { authorization: `openapi ${values.open}` };
  return { authorization: `Bearer ${credential === 'admin' ? sandboxCatalogue.adminToken : values.lite}` };
}

async function replay(exchange: Exchange): Promise<Response> {
  const init: RequestInit = { method: methodOf(exchange.id), headers: headersOf(exchange) };
  if (exchange.form !== undefined) init.body = formOf(exchange.form);
  if (exchange.json !== undefined) {
    init.body = wireText(filled(exchange.json, values));
    init.headers = { ...headersOf(exchange), 'content-type': 'application/json; charset=utf-8' };
  }
  return fetch(sandbox.url + addressOf(exchange, values), init);
}

function formOf(form: NonNullable<Exchange['form']>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') data.append(name, String(filled(value, values)));
    else
      for (const { file, type } of value) {
        data.append(name, new Blob([new Uint8Array(FILES[file] ?? [])], { type }), file);
      }
  }
  return data;
}

function keep({ keep: wanted = {} }: Exchange, body: Json): void {
  for (const [name, path] of Object.entries(wanted)) {
    let found: unknown = body;
    for (const part of path.split('.')) {
      found = Array.isArray(found) ? found.at(Number(part)) : Reflect.get(Object(found), part);
    }
    values[name] = String(found)
      .replace(/^#/, '')
      .replace(/^.*ekb-temporary-file\//, '');
  }
}

/** Returns the paths at which a response lacks a documented field or has a value of another type. */
function lacking(documented: Json, seen: unknown, place = 'answer'): readonly string[] {
  if (Array.isArray(documented)) {
    if (!Array.isArray(seen)) return [`${place} is no list`];
    return documented.length === 0 || seen.length === 0
      ? []
      : lacking(documented[0] as Json, seen[0], `${place}[0]`);
  }
  if (typeof documented === 'object' && documented !== null) {
    if (typeof seen !== 'object' || seen === null) return [`${place} is no object`];
    return Object.entries(documented).flatMap(([name, value]) =>
      Object.hasOwn(seen, name)
        ? lacking(value as Json, Reflect.get(seen, name), `${place}.${name}`)
        : [`${place}.${name} is missing`],
    );
  }
  // Null is accepted for any type: `success` is null in a paged answer, and a total may be unknown (GEN-5, GEN-8).
  if (documented === null || seen === null || typeof documented === typeof seen) return [];
  return [`${place} is a ${typeof seen}, not a ${typeof documented}`];
}

describe('the sandbox answers the documented request', () => {
  it('of all 61 operations', () => {
    expect(exchanges.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it.each(
    exchanges.map((exchange) => [exchange.id, exchange.rows, exchange] as const),
  )('of %s (%s)', async (_id, _rows, exchange) => {
    const answer = await replay(exchange);
    if (exchange.answer === 'bytes') {
      expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
      return;
    }
    const body = wireValue(await answer.text());
    const documented = exchange.answer as { code?: number; success?: boolean };
    expect(body).toMatchObject(
      documented.success === undefined ? { code: documented.code } : { success: true },
    );
    expect(lacking(exchange.answer, body)).toEqual([]);
    expect(answer.status).toBe(200);
    keep(exchange, body);
  });
});

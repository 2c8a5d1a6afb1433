/** Makes the sample request of an operation as the client sends it, and the credentials that the sandbox accepts. */

import { sandboxCatalogue } from '../../../sandbox/index.ts';
import { samples } from '../../../src/cli/platform/samples.ts';
import type { AnyOperation } from '../../../src/platform/api.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { fillPath, wireParts } from '../../../src/platform/wire/parts.ts';
import type { Exchange } from './recording-proxy.ts';

const file = { name: 'guide.md', size: 0, async *open() {} };

/** Returns the sample request, with file objects in place of file names. */
export function requestOf({ id }: AnyOperation): Record<string, unknown> {
  const withFiles = ([name, value]: [string, unknown]) => {
    if (!/^files?$/.test(name)) return [name, value];
    return [name, Array.isArray(value) ? value.map(() => file) : file];
  };
  return Object.fromEntries(Object.entries(samples[id] ?? {}).map(withFiles));
}

export function sent(operation: AnyOperation, request: Record<string, unknown>): Exchange {
  const parts = wireParts(operation, request, documentedDeployment);
  const path = fillPath(operation.path, { ...parts, path: { idpWord: 'idp', ...parts.path } });
  const form = parts.form?.map(({ name }) => `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`);
  const json = parts.json === undefined ? '' : JSON.stringify(parts.json);
  return {
    method: operation.method,
    path,
    requestType: form === undefined ? 'application/json' : 'multipart/form-data',
    request: Buffer.from(form?.join('') ?? json).toString('latin1'),
    status: 200,
    answerType: '',
    answer: '',
  };
}

type Headers = Readonly<Record<string, string>>;

/** Signs in to a sandbox. Returns the headers for each kind of credential. */
export async function proofsAt(url: string): Promise<Readonly<Record<AnyOperation['credential'], Headers>>> {
  const { clientId, clientSecret } = sandboxCatalogue.liteClient;
  const token = async (path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return /"access_token":"([^"]+)"/.exec(await answer.text())?.[1] ?? '';
  };
  const login = { client_id: clientId, client_secret: clientSecret, username: 'admin' };
  const bearer = { authorization: `Bearer ${await token('/webapi/lite_api/v1/iam/client_token', login)}` };
  return {
    none: {},
    'api-key': { 'api-key': 'sandbox-key-knowledge' },
    'key-or-bearer': bearer,
    admin: { authorization: `Bearer ${sandboxCatalogue.adminToken}` },
    bearer,
    open: {
      authorization: `openapi ${await token('/openapi/auth/user/idp', { token: 'sandbox-idp-admin' })}`,
    },
  };
}

/** Makes the reference's pages from the operations' descriptors. Pure. */

import { z } from 'zod';
import { inputsOf } from '../../src/cli/platform/inputs.ts';
import { exampleOf } from '../../src/cli/platform/samples.ts';
import {
  type AnyOperation,
  bare,
  CAPABILITIES,
  type Capability,
  operations,
} from '../../src/platform/api.ts';
import { callText } from './calls.ts';
import { introductions } from './introductions.ts';
import { remarks } from './remarks.ts';
import { requestTable, resultTable } from './tables.ts';
import { elementOf, itemsOf } from './wire-schema.ts';

const MADE = '<!-- Made by `npm run reference` from the descriptors in src/platform/operations. -->';

export interface Written {
  /** Path of the page, below docs/platform. */
  readonly path: string;
  readonly text: string;
}

export function referencePages(): readonly Written[] {
  return [{ path: 'README.md', text: indexPage() }, ...capabilities().map(capabilityPage)];
}

const capabilities = (): readonly Capability[] =>
  Object.keys(CAPABILITIES).filter((name): name is Capability => name in CAPABILITIES);

const CREDENTIALS: Readonly<Record<AnyOperation['credential'], string>> = {
  none: 'none',
  'api-key': 'API key (header `api-key`)',
  'key-or-bearer': 'API key, or a lite token',
  bearer: 'lite token (`Authorization: Bearer …`)',
  open: 'Open API token (`Authorization: openapi …`)',
  admin: "administrator's token (`Authorization: Bearer …`)",
};

function indexPage(): string {
  const rows = operations.map(
    ({ id, capability, method, path, credential, command }) =>
      `| [${id}](${capability}.md#${id.toLowerCase()}) | ${method} | \`${path}\` | ${CREDENTIALS[credential]} | \`parley platform ${capability} ${command}\` | [${CAPABILITIES[capability]}](${capability}.md) |`,
  );
  return `${MADE}

# The agent platform

All ${operations.length} operations of the platform's two interfaces. Each can be called from code, from the command line, and with any HTTP client; the [OpenAPI document](openapi.json) describes them for tools, and [this page](curl.md) shows them with curl. Everything here works against the [sandbox](../sandbox.md).

From code:

\`\`\`ts
const client = platform.client({ open: { kind: 'client-account', client, secret, account: 'admin' } });
for await (const page of client.pages(api.listFiles, { workspace: 'handbook' })) console.log(page.items);
\`\`\`

From the command line (\`parley platform --help\` and each command's \`--help\` are the manual):

\`\`\`text
parley platform workspaces list
parley platform files upload handbook guide.md --wait
parley platform users list --where 'realName~Zhang' --all --json
\`\`\`

Each command names the identity that it uses on standard error:

| option | identity |
| --- | --- |
| none | \`platform.credentials\` of the [configuration](../configuration.md#platform). For the Open API this is the token of \`idpTokenFile\` if it is set, otherwise the client and account of \`open\` |
| none, and no platform is configured | the administrator of the sandbox |
| \`--as ACCOUNT\` | another account. This works only with the client, not with the token |
| \`--agent NAME\` | the agent's own credential, which is never used without this option |

Requests are checked before they are sent: an error names a wrong member or limit, and the given value. Ids are text everywhere, because they have 19 digits. A value that is not documented is returned as \`{ known: false, value }\`.

- Texts and lists must not be empty, unless a table says otherwise.
- Members that are not marked as needed are optional. The client sends their defaults.
- If a table names no place, the member is sent in the body under its own name.

| operation | method | path | credential | command | page |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function capabilityPage(capability: Capability): Written {
  const own = operations.filter((operation) => operation.capability === capability);
  const text = `${MADE}

# ${CAPABILITIES[capability]}

${introductions[capability]}

${own.map(operationText).join('\n')}`;
  return { path: `${capability}.md`, text };
}

function operationText(operation: AnyOperation): string {
  const { id, doc, credential, destroys } = operation;
  const parts = [
    `## ${id}`,
    doc,
    ...(destroys
      ? ['**This operation cannot be undone.** The command asks for confirmation, or needs `--yes`.']
      : []),
    formsText(operation),
    `Credential: ${CREDENTIALS[credential]}. ${RETRIES[operation.retry]}`,
    `\`\`\`ts\n${callText(operation)}\n\`\`\``,
    `\`\`\`text\n${exampleOf(operation, inputsOf(operation))}\n\`\`\``,
    requestTable(operation),
    remarks[id] ?? '',
    resultText(operation),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const RETRIES: Readonly<Record<AnyOperation['retry'], string>> = {
  read: 'The client repeats the call up to twice if the connection fails or the platform is busy.',
  chat: 'The client repeats the call up to twice within 20 seconds if no part of an answer has arrived.',
  never: 'The client never repeats the call.',
};

const BODIES: Readonly<Record<AnyOperation['body'], string>> = {
  none: '',
  json: ', with a JSON body',
  form: ', with a multipart form',
};

function formsText({ method, path, body, alternatives = [] }: AnyOperation): string {
  const others = alternatives.map((other) => `\`${other.method ?? method} ${other.path ?? path}\``);
  const also =
    others.length === 0
      ? ''
      : ` If the server does not support this request, the client tries ${others.join(', then ')}.`;
  return `\`${method} ${path}\`${BODIES[body]}.${also}`;
}

const SHAPES: Readonly<Record<AnyOperation['shape'], string>> = {
  one: 'The result:',
  many: 'The result is a list of:',
  page: 'The result is a page (`items`, `pageIndex`, `pageSize`, `totalCount`, `totalKnown`) of:',
  nothing: 'The result says only that the call succeeded.',
};

function resultText({ shape, response, answer }: AnyOperation): string {
  if (shape === 'nothing') return SHAPES.nothing;
  if (answer === 'bytes')
    return 'The result is a download: its name, its content type, and its bytes as they arrive.';
  const item = resultObject(shape, response);
  if (item === undefined) return `${SHAPES[shape].replace(/:$/, '')} ${response.description ?? 'text'}.`;
  return `${SHAPES[shape]}\n\n${resultTable(item)}`;
}

function resultObject(shape: AnyOperation['shape'], response: z.ZodType): z.ZodObject | undefined {
  const list = shape === 'page' ? itemsOf(response) : response;
  const element = bare(elementOf(list) ?? list);
  return element instanceof z.ZodObject ? element : undefined;
}

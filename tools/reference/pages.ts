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
  'key-or-bearer': 'API key (header `api-key`) or lite token (`Authorization: Bearer …`)',
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

This page lists all ${operations.length} operations of the two HTTP interfaces of the agent platform. You can call each operation from code, from the command line, or with any HTTP client. The [OpenAPI document](openapi.json) describes the operations for tools, and the page [With any HTTP client](curl.md) calls them with curl. All operations also work against the [sandbox](../sandbox.md).

From code:

\`\`\`ts
const client = platform.client({ open: { kind: 'client-account', client, secret, account: 'admin' } });
for await (const page of client.pages(api.listFiles, { workspace: 'handbook' })) console.log(page.items);
\`\`\`

From the command line (for the manual, run \`parley platform --help\`, or a command with \`--help\`):

\`\`\`text
parley platform workspaces list
parley platform files upload handbook guide.md --wait
parley platform users list --where 'realName~Zhang' --all --json
\`\`\`

The options of a command decide with which identity the command calls the platform. The command writes this identity to standard error:

| option | identity |
| --- | --- |
| neither option | the credential in \`platform.credentials\` of the [configuration](../configuration.md#platform). For the Open API, the command uses the token in \`idpTokenFile\` if this is set, otherwise the client and the account in \`open\` |
| neither option, and no platform is configured | the administrator of the sandbox |
| \`--as ACCOUNT\` | the account ACCOUNT. This option needs a client, because a token of an identity provider belongs to one account |
| \`--agent NAME\` | the credential of the agent NAME. Without this option, no command uses the credential of an agent in the configuration |
| \`--platform NAME\` | the credential in \`platforms.NAME.credentials\`, if the configuration has [several platforms](../your-agents.md#connect-several-platforms). Without this option, the command calls the platform of \`--agent\`, or else \`main\` |

The client checks each request before it sends the request. If a field of the request is wrong, the error names the field and says what is wrong with it. Ids are texts, because a JavaScript number cannot hold their 19 digits exactly. If the platform returns a value that is not in its list of documented values, the client returns \`{ known: false, value }\`.

The tables on the pages of the operations follow these rules:
- Texts and lists must not be empty, unless a table says otherwise.
- A field is optional unless the column *needed* says \`yes\`. If you omit a field that has a default, the client sends the default.
- The column *on the wire* says how the field is sent: its name in the request, if it differs from the name in the code, and its place, such as *query*. If the column contains no place, the client sends the field in the body. *Bare integer* means a number without quotes.

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
      ? [
          '**This operation cannot be undone.** The command asks for confirmation on the terminal. Without a terminal, the command needs `--yes`.',
        ]
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
  read: 'Parley repeats the call up to two times if the connection fails, or if the platform responds with status 429, 500, 502, 503 or 504.',
  chat: 'Parley repeats the call up to two times if the connection fails, or if the platform responds with status 429, 500, 502, 503 or 504, but only while no part of the answer has arrived.',
  never: 'Parley never repeats the call.',
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
  one: 'The result has these fields:',
  many: 'The result is a list. Each item of the list has these fields:',
  page: 'The result is a page with the fields `items`, `pageIndex`, `pageSize`, `totalCount` and `totalKnown`. Each item has these fields:',
  nothing: 'The call returns no data.',
};

function resultText({ shape, response, answer }: AnyOperation): string {
  if (shape === 'nothing') return SHAPES.nothing;
  if (answer === 'bytes')
    return 'The result is a download with three fields: `name`, `type` (the content type) and `bytes` (a function that yields the content in pieces, as they arrive).';
  const item = resultObject(shape, response);
  if (item === undefined)
    return `The result is ${shape === 'many' ? 'a list of ' : ''}${inSentence(response.description ?? 'text')}.`;
  return `${SHAPES[shape]}\n\n${resultTable(item)}`;
}

const inSentence = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function resultObject(shape: AnyOperation['shape'], response: z.ZodType): z.ZodObject | undefined {
  const list = shape === 'page' ? itemsOf(response) : response;
  const element = bare(elementOf(list) ?? list);
  return element instanceof z.ZodObject ? element : undefined;
}

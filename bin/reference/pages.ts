/** The pages of the reference, made of the descriptors. Pure. */

import { z } from 'zod';
import { exampleOf } from '../../src/cli/platform/example.ts';
import { inputsOf } from '../../src/cli/platform/inputs.ts';
import {
  type AnyOperation,
  bare,
  CAPABILITIES,
  type Capability,
  factsOf,
  operations,
  toType,
} from '../../src/platform/index.ts';
import { callText } from './calls.ts';
import { introductions } from './introductions.ts';
import { isRequired, wireName } from './wire-schema.ts';

const MADE = '<!-- Made by `npm run reference` from the descriptors in src/platform/operations. -->';

export interface Written {
  /** Below docs/platform. */
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
      `| [${id}](${capability}.md#${id.toLowerCase()}) | ${method} | \`${path}\` | ${CREDENTIALS[credential]} | \`platform ${capability} ${command}\` |`,
  );
  return `${MADE}

# The agent platform

All ${operations.length} operations of the platform's two interfaces. Each can be called from code, from the command line, and with any HTTP client; the [OpenAPI document](openapi.json) describes them for tools, and [this page](curl.md) shows them with curl. Everything here works against the [sandbox](../sandbox.md).

From code:

\`\`\`ts
const client = platform.client({ open: { kind: 'client-account', client, secret, account: 'admin' } });
for await (const page of client.pages(api.listFiles, { workspace: 'handbook' })) console.log(page.items);
\`\`\`

From the command line, where \`parley platform --help\` and each command's \`--help\` are a manual of their own:

\`\`\`text
parley platform workspaces list
parley platform files upload handbook guide.md --wait
parley platform users list --where 'realName~Zhang' --all --json
\`\`\`

Sign-in comes from \`platform.credentials\` of the [configuration](../configuration.md#platform), or from an agent's credential; without a configured platform the sandbox is used as its administrator. Requests are checked before they are sent: a wrong member or limit is named, with what was given. Ids are text everywhere, because they have 19 digits. A value that no document names comes back as \`{ known: false, value }\`.

| operation | method | path | credential | command |
| --- | --- | --- | --- | --- |
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
    ...(destroys ? ['**It cannot be undone.** The command asks, or wants `--yes`.'] : []),
    formsText(operation),
    `Credential: ${CREDENTIALS[credential]}. ${RETRIES[operation.retry]}`,
    `\`\`\`ts\n${callText(operation)}\n\`\`\``,
    `\`\`\`text\n${exampleOf(operation, inputsOf(operation))}\n\`\`\``,
    requestText(operation),
    resultText(operation),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const RETRIES: Readonly<Record<AnyOperation['retry'], string>> = {
  read: 'Tried again up to twice when the connection fails or the platform is busy.',
  chat: 'Tried again up to twice in 20 seconds, as long as no part of an answer has come.',
  never: 'Never tried again by itself.',
};

function formsText({ method, path, alternatives = [] }: AnyOperation): string {
  const others = alternatives.map((other) => `\`${other.method ?? method} ${other.path ?? path}\``);
  const also = others.length === 0 ? '' : ` Where a server does not know that: ${others.join(', then ')}.`;
  return `\`${method} ${path}\`.${also}`;
}

function requestText({ request, path }: AnyOperation): string {
  const rows = rowsOf(request, '', (name) => (path.includes(`{${name}}`) ? 'path' : ''));
  if (rows.length === 0) return 'It takes nothing.';
  return `| member | on the wire | type | needed | what it is |\n| --- | --- | --- | --- | --- |\n${rows.map(requestRow).join('\n')}`;
}

interface MemberRow {
  readonly name: string;
  readonly wire: string;
  readonly type: string;
  readonly needed: string;
  readonly doc: string;
}

const requestRow = ({ name, wire, type, needed, doc }: MemberRow): string =>
  `| \`${name}\` | ${wire} | ${type} | ${needed} | ${doc} |`;

/** Members of members below them, two levels deep. */
function rowsOf(schema: z.ZodObject, prefix: string, place: (wire: string) => string): readonly MemberRow[] {
  return Object.entries(schema.shape).flatMap(([name, shape]) => {
    const member = toType(shape);
    const { raw } = factsOf(member);
    if (raw) return [];
    const full = prefix + name;
    const row = {
      name: full,
      wire: wireText({ name, member }, place),
      type: typeText(member),
      needed: neededText(member),
      doc: cell(member.description ?? bare(member).description ?? ''),
    };
    const inner = innerObject(member);
    if (inner === undefined || inner.object === schema || prefix.split('.').length > 2) return [row];
    return [row, ...rowsOf(inner.object, `${full}${inner.mark}.`, () => '')];
  });
}

function innerObject(member: z.ZodType) {
  const schema = bare(member);
  if (schema instanceof z.ZodObject) return { object: schema, mark: '' };
  const element = schema instanceof z.ZodArray ? bare(toType(schema.element)) : undefined;
  return element instanceof z.ZodObject ? { object: element, mark: '[]' } : undefined;
}

function wireText(
  each: { readonly name: string; readonly member: z.ZodType },
  place: (wire: string) => string,
): string {
  const { as, in: where } = factsOf(each.member);
  const wire = wireName(each);
  const remarks = [
    wire === each.name ? '' : `\`${wire}\``,
    place(wire) || (where === 'list' ? 'the whole body' : ''),
    as === 'integer' ? 'bare integer' : '',
    as === 'json' ? 'JSON in a string' : '',
    as === 'one-or-many' ? 'alone without its list' : '',
  ];
  return remarks.filter((remark) => remark !== '').join(', ');
}

function typeText(member: z.ZodType): string {
  const { codes, known, file } = factsOf(member);
  const schema = bare(member);
  if (file) return 'file';
  const words =
    codes === undefined ? known : Object.entries(codes).map(([name, code]) => `${name}\` (${code})\``);
  if (words !== undefined) return words.map((word) => `\`${word}\``.replace(/\)``$/, ')')).join(', ');
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(', ');
  if (schema instanceof z.ZodLiteral) return `\`${String(schema.value)}\``;
  if (schema instanceof z.ZodString) return limited('text', schema.maxLength, 'characters');
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'true, false';
  if (schema instanceof z.ZodArray) return `list of ${elementText(toType(schema.element))}`;
  return schema instanceof z.ZodUnion ? 'text, or a list' : 'object';
}

const limited = (what: string, most: number | null, unit: string): string =>
  most === null ? what : `${what}, at most ${most} ${unit}`;

function elementText(element: z.ZodType): string {
  const text = typeText(element);
  return text === 'object' ? 'objects' : text;
}

function neededText(member: z.ZodType): string {
  if (isRequired(member)) return 'yes';
  const fallback = member instanceof z.ZodDefault ? member.def.defaultValue : undefined;
  return fallback === undefined || fallback === null ? '' : `default \`${JSON.stringify(fallback)}\``;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const SHAPES: Readonly<Record<AnyOperation['shape'], string>> = {
  one: 'The result:',
  many: 'The result is a list of:',
  page: 'The result is a page (`items`, `pageIndex`, `pageSize`, `totalCount`, `totalKnown`) of:',
  nothing: 'It gives nothing but its success.',
};

function resultText({ shape, response, answer }: AnyOperation): string {
  if (shape === 'nothing') return SHAPES.nothing;
  if (answer === 'bytes')
    return 'The result is a download: its name, its content type, and its bytes as they come.';
  const item = resultObject(shape, response);
  if (item === undefined) return `${SHAPES[shape].replace(/:$/, '')} ${response.description ?? 'text'}.`;
  const rows = rowsOf(item, '', () => '');
  const shown = rows.map(({ name, wire, type, doc }) => `| \`${name}\` | ${wire} | ${type} | ${doc} |`);
  return `${SHAPES[shape]}\n\n| member | on the wire | type | what it is |\n| --- | --- | --- | --- |\n${shown.join('\n')}`;
}

function resultObject(shape: AnyOperation['shape'], response: z.ZodType): z.ZodObject | undefined {
  const schema = bare(response);
  const list = shape === 'page' && schema instanceof z.ZodObject ? toType(schema.shape.items) : schema;
  const element = list instanceof z.ZodArray ? bare(toType(list.element)) : list;
  return element instanceof z.ZodObject ? element : undefined;
}

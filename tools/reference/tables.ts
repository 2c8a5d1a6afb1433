/** Makes the tables that describe an operation's request and result. Pure. */

import { z } from 'zod';
import { type AnyOperation, bare, factsOf, toType } from '../../src/platform/api.ts';
import {
  boundedText,
  boundsOf,
  elementOf,
  isRequired,
  JOINED,
  type Member,
  membersOf,
  OWN,
  wireName,
} from './wire-schema.ts';

export function requestTable(operation: AnyOperation): string {
  const rows = rowsOf(operation.request, '', (each) => placeOf(operation, each));
  if (rows.length === 0) return 'This operation has no parameters.';
  return table(
    ['field', 'on the wire', 'type', 'needed', 'what it is'],
    rows.map(({ name, wire, type, needed, doc }) => [`\`${name}\``, wire, type, needed, doc]),
  );
}

export function resultTable(item: z.ZodObject): string {
  const rows = rowsOf(item, '', () => '');
  return table(
    ['field', 'on the wire', 'type', 'what it is'],
    rows.map(({ name, wire, type, doc }) => [`\`${name}\``, wire, type, doc]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Returns where a field is sent, such as `query`; an empty string means in the body. */
function placeOf({ id, path, body }: AnyOperation, each: Member): string {
  const facts = factsOf(each.member);
  if (OWN[id]?.includes(each.name)) return 'not sent';
  if (path.includes(`{${wireName(each)}}`)) return 'path';
  if (JOINED[id]?.[each.name] !== undefined) return 'sent as one text with \\| between the values';
  if (facts.in === 'list') return 'the list is the whole body';
  if (facts.in === 'header') return 'header';
  return body === 'none' || facts.in === 'query' ? 'query' : '';
}

type Row = Readonly<Record<'name' | 'wire' | 'type' | 'needed' | 'doc', string>>;

/** Returns table rows for the fields, and for fields inside them down to the third level. */
function rowsOf(schema: z.ZodObject, prefix: string, place: (each: Member) => string): readonly Row[] {
  return membersOf(schema).flatMap(({ name, member }) => {
    if (factsOf(member).raw) return [];
    const full = prefix + name;
    const row = {
      name: full,
      wire: wireText({ name, member }, place),
      type: typeText(member),
      needed: neededText(member),
      doc: docText(member),
    };
    const inner = innerObject(member);
    if (inner === undefined || inner.object === schema || prefix.split('.').length > 2) return [row];
    return [row, ...rowsOf(inner.object, `${full}${inner.mark}.`, () => '')];
  });
}

function innerObject(member: z.ZodType) {
  const schema = bare(member);
  if (schema instanceof z.ZodObject) return { object: schema, mark: '' };
  const element = elementOf(schema);
  const object = element && bare(element);
  return object instanceof z.ZodObject ? { object, mark: '[]' } : undefined;
}

function wireText(each: Member, place: (each: Member) => string): string {
  const { as } = factsOf(each.member);
  const element = factsOf(elementOf(each.member) ?? each.member);
  const wire = wireName(each);
  const remarks = [
    wire === each.name ? '' : `\`${wire}\``,
    place(each),
    [as, element.as].includes('integer') ? 'bare integer' : '',
    as === 'json' ? 'sent as JSON in a string' : '',
    as === 'one-or-many' ? 'one value is sent as a text, several as a list' : '',
  ];
  return remarks.filter((remark) => remark !== '').join(', ');
}

function typeText(member: z.ZodType): string {
  const { as, codes, known, file } = factsOf(member);
  const schema = bare(member);
  if (file) return 'file';
  if (as === 'integer') return 'id';
  if (codes !== undefined) {
    const words = Object.entries(codes).map(([name, code]) => `\`${name}\` (${code})`);
    return words.join(', ');
  }
  if (known !== undefined) return known.map((word) => `\`${word}\``).join(', ');
  return plainType(schema);
}

function plainType(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(', ');
  if (schema instanceof z.ZodLiteral) return `\`${String(schema.value)}\``;
  if (schema instanceof z.ZodString) return boundedText('text', boundsOf(schema));
  if (schema instanceof z.ZodNumber)
    return boundedText(schema.isInt ? 'whole number' : 'number', boundsOf(schema));
  if (schema instanceof z.ZodBoolean) return 'true, false';
  if (schema instanceof z.ZodRecord) return `object of ${plural(typeText(toType(schema.valueType)))}`;
  if (schema instanceof z.ZodArray) return boundedText(listText(toType(schema.element)), boundsOf(schema));
  if (schema instanceof z.ZodUnknown) return 'anything';
  return schema instanceof z.ZodUnion ? 'text, or list of objects' : 'object';
}

const listText = (element: z.ZodType): string =>
  element instanceof z.ZodUnknown ? 'list' : `list of ${plural(typeText(element))}`;

const plural = (kind: string): string => (/^(text|object|file|id|number)$/.test(kind) ? `${kind}s` : kind);

function neededText(member: z.ZodType): string {
  if (isRequired(member)) return 'yes';
  const fallback = member instanceof z.ZodDefault ? member.def.defaultValue : undefined;
  return fallback === undefined || fallback === null ? '' : `default \`${JSON.stringify(fallback)}\``;
}

/** Returns a field's description without the limits that its type already states. */
function docText(member: z.ZodType): string {
  const doc = member.description ?? bare(member).description ?? '';
  return doc
    .replace(/, [\d.]+ to [\d.]+$/, '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
}

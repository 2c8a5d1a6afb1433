import { z } from 'zod';
import { type AnyOperation, bare, factsOf, toType } from '../../platform/api.ts';

/** A field of a request, as people give it on the command line. */
export interface Input {
  /** Name of the field in the request. */
  readonly name: string;
  /** Name of the flag, without its dashes. */
  readonly flag: string;
  readonly doc: string;
  /**
   * How the value is given. `yaml`: a nested value, as YAML or JSON. `secret`: read from a file and never from the
   * arguments, which other users can see.
   */
  readonly kind: 'text' | 'number' | 'switch' | 'texts' | 'file' | 'files' | 'yaml' | 'secret';
  /** Values that the field accepts; absent if it accepts any. */
  readonly choices?: readonly string[];
  readonly required: boolean;
  readonly fallback?: unknown;
  /** True if the value may also be given without its flag, by its position. */
  readonly positional: boolean;
  /** True if the field is a list, and the request's body is this list and nothing else. */
  readonly isBody: boolean;
}

/** Returns the fields of an operation's request as command-line inputs. Depends only on the request's schema. */
export function inputsOf({ request }: Pick<AnyOperation, 'request'>): readonly Input[] {
  const inputs = Object.entries(request.shape).map(([name, member]) => inputOf(name, toType(member)));
  const required = inputs.filter(isPlaced);
  // If no field is required, the first one, such as the query of a search, may be given by position.
  const [first] = inputs;
  const placed = required.length > 0 || first === undefined ? required : [first].filter(canBePlaced);
  const untilList = placed.findIndex(({ kind }) => LISTS.has(kind));
  const places = untilList === -1 ? placed : placed.slice(0, untilList + 1);
  return inputs.map((input) => ({ ...input, positional: places.includes(input) }));
}

const LISTS: ReadonlySet<Input['kind']> = new Set(['texts', 'files']);
const PLACED: ReadonlySet<Input['kind']> = new Set(['text', 'number', 'file', 'texts', 'files']);

const isPlaced = (input: Input): boolean => input.required && PLACED.has(input.kind);
const canBePlaced = ({ kind, fallback }: Input): boolean => kind === 'text' && fallback === undefined;

function inputOf(name: string, member: z.ZodType): Input {
  const fallback = member instanceof z.ZodDefault ? member.def.defaultValue : undefined;
  const schema = bare(member);
  return {
    name,
    flag: flagOf(name),
    doc: docOf(member),
    kind: kindOf(member, schema),
    ...choicesOf(schema),
    required: !member.safeParse(undefined).success,
    ...(fallback !== undefined && fallback !== null && { fallback }),
    positional: false,
    isBody: factsOf(member).in === 'list',
  };
}

const FLAGS: Readonly<Record<string, string>> = { pageIndex: 'page' };

/** Converts a field's name to a flag: `chatRecordId` to `chat-record-id`. */
const flagOf = (name: string): string =>
  FLAGS[name] ??
  name
    .replaceAll('_', '-')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase();

function docOf(member: z.ZodType): string {
  return member.description ?? bare(member).description ?? '';
}

function kindOf(member: z.ZodType, schema: z.ZodType): Input['kind'] {
  const facts = factsOf(member);
  if (facts.secret) return 'secret';
  if (facts.file) return 'file';
  if (schema instanceof z.ZodBoolean) return 'switch';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'text';
  if (!(schema instanceof z.ZodArray)) return 'yaml';
  const element = toType(schema.element);
  if (factsOf(element).file) return 'files';
  const plain = bare(element);
  return plain instanceof z.ZodString || plain instanceof z.ZodEnum || plain instanceof z.ZodLiteral
    ? 'texts'
    : 'yaml';
}

function choicesOf(schema: z.ZodType): { readonly choices?: readonly string[] } {
  const named = schema instanceof z.ZodArray ? bare(toType(schema.element)) : schema;
  return named instanceof z.ZodEnum ? { choices: named.options.map(String) } : {};
}

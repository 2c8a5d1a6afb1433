import { z } from 'zod';

/** The wire format of a field, as far as it differs from the schema. */
export interface WireFacts {
  /**
   * The field's name on the wire. `{idpWord}`, `{IdpWord}`, `{chat_account}` and `{chatAccount}` are replaced with
   * the deployment's words.
   */
  readonly name?: string;
  /** Other names under which some servers send the field. */
  readonly aliases?: readonly string[];
  /**
   * Where a request contains the field. `list`: the field is the whole body. If this is absent, the field is in the
   * path if the path has a parameter with its name; otherwise it is in the query of a GET, or in the body of another
   * method.
   */
  readonly in?: 'query' | 'header' | 'list';
  /**
   * `integer`: written without quotation marks, with any number of digits. `integer-or-text`: like `integer` if the
   * value consists of digits, otherwise text. `json`: JSON inside a string. `one-or-many`: a single element may be
   * sent without its list. `piped`: a list as one text, with `|` between its elements.
   */
  readonly as?: 'integer' | 'integer-or-text' | 'json' | 'one-or-many' | 'piped';
  /** The documented form of a text. The client passes on any text; only the OpenAPI document states the form. */
  readonly format?: 'uuid' | 'date';
  /** The number that the platform uses for each name. */
  readonly codes?: Readonly<Record<string, number>>;
  /** The documented values of an enumeration; other values are kept as text. */
  readonly known?: readonly string[];
  /** Set if the value of the field is the whole object as received, including undocumented fields. */
  readonly raw?: true;
  /** Set if the field contains bytes to upload. */
  readonly file?: true;
  /** Set if the value is a secret: shown once, never logged. */
  readonly secret?: true;
}

const facts = z.registry<WireFacts>();

/**
 * Sets the wire format of a field. Call it after all other schema methods except `optional`, `nullable` and
 * `default`, which keep the format.
 */
export function wired<Member extends z.ZodType>(member: Member, how: WireFacts): Member {
  facts.add(member, { ...facts.get(member), ...how });
  return member;
}

/** Returns the wire format of a field, even if the field is wrapped as optional or with a default. */
export function factsOf(member: z.ZodType): WireFacts {
  return facts.get(member) ?? facts.get(bare(member)) ?? {};
}

/** Returns the schema without its optional, nullable, default and read-only wrappers. */
export function bare(member: z.ZodType): z.ZodType {
  return isWrapped(member) ? bare(toType(member.unwrap())) : member;
}

type Wrapped = z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodReadonly;

function isWrapped(member: z.ZodType): member is Wrapped {
  return (
    member instanceof z.ZodOptional ||
    member instanceof z.ZodNullable ||
    member instanceof z.ZodDefault ||
    member instanceof z.ZodReadonly
  );
}

/**
 * Narrows a schema to `z.ZodType`. Needed because zod declares an unwrapped schema only as its core type, although
 * every schema here is made with zod's classic API.
 */
export function toType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('The schema belongs to another library.');
}

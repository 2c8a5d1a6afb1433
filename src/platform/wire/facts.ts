import { z } from 'zod';

/** The wire format of a member, if it differs from the schema. */
export interface WireFacts {
  /** The wire name. `{idpWord}`, `{IdpWord}`, `{chat_account}` and `{chatAccount}` stand for the deployment's words. */
  readonly name?: string;
  /** Other names that some servers send. */
  readonly aliases?: readonly string[];
  /**
   * Place of the member in a request; `list` is the whole body. If absent, the member is the path parameter of that
   * name, else part of the query of a GET, else part of the body.
   */
  readonly in?: 'query' | 'header' | 'list';
  /**
   * `integer`: a bare integer of any length. `integer-or-text`: the same for digits, otherwise text. `json`: JSON
   * inside a string. `one-or-many`: a single element may be sent without its list.
   */
  readonly as?: 'integer' | 'integer-or-text' | 'json' | 'one-or-many';
  /** The platform's number for each name. */
  readonly codes?: Readonly<Record<string, number>>;
  /** The documented values of an enumeration; other values are kept as text. */
  readonly known?: readonly string[];
  /** Set if the member contains the whole object as received, including undocumented members. */
  readonly raw?: true;
  /** Set if the member contains bytes to upload. */
  readonly file?: true;
  /** Set if the value is shown once and never logged. */
  readonly secret?: true;
}

const facts = z.registry<WireFacts>();

/** Attaches a wire format to a member. Call this last; `optional`, `nullable` and `default` may follow and keep it. */
export function wired<Member extends z.ZodType>(member: Member, how: WireFacts): Member {
  facts.add(member, { ...facts.get(member), ...how });
  return member;
}

/** Returns the wire format of a member, also through optional and default wrappers. */
export function factsOf(member: z.ZodType): WireFacts {
  return facts.get(member) ?? facts.get(bare(member)) ?? {};
}

/** Returns the schema inside optional, nullable, default and read-only wrappers. */
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
 * Narrows a schema to `z.ZodType`: zod types an unwrapped schema by its core, but every schema here comes from its
 * classic API.
 */
export function toType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('A schema of another library.');
}

import { z } from 'zod';

/** Wire format of a member of a request or result where it differs from the schema's. */
export interface WireFacts {
  /**
   * Its name on the wire; `{idpWord}`, `{IdpWord}`, `{chat_account}` and `{chatAccount}` are the deployment's words.
   */
  readonly name?: string;
  /** Names under which some servers send it. */
  readonly aliases?: readonly string[];
  /**
   * Place of the member in a request; `list` is the whole body. Absent: a path's parameter of that name, else the query
   * of a GET, else the body.
   */
  readonly in?: 'query' | 'header' | 'list';
  /**
   * `integer`: a bare integer of any length. `integer-or-text`: the same, or text as it is. `json`: JSON inside a
   * string. `one-or-many`: a single element may be sent without its list.
   */
  readonly as?: 'integer' | 'integer-or-text' | 'json' | 'one-or-many';
  /** The platform's number for each of our names. */
  readonly codes?: Readonly<Record<string, number>>;
  /** The documented values of an enumeration; others are kept as text. */
  readonly known?: readonly string[];
  /** Holds the object as it came, with the members that nobody documented. */
  readonly raw?: true;
  /** Bytes to upload. */
  readonly file?: true;
  /** A value that is shown once and never logged. */
  readonly secret?: true;
}

const facts = z.registry<WireFacts>();

/** A member with how it travels. Call it last but for `optional`, `nullable` and `default`, which keep it. */
export function wired<Member extends z.ZodType>(member: Member, how: WireFacts): Member {
  facts.add(member, { ...facts.get(member), ...how });
  return member;
}

/** Returns the wire format of a member, through its optional and default wrappers. */
export function factsOf(member: z.ZodType): WireFacts {
  return facts.get(member) ?? facts.get(bare(member)) ?? {};
}

/** The member under what makes it optional, nullable or gives it a default. */
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

/** The library types what it unwraps by its smaller core; all schemas here are made by its classic face. */
export function toType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('A schema of another library.');
}

import { z } from 'zod';
import { type WireFacts, wired } from './facts.ts';

/** Functions that describe the fields of requests and results. Each function describes one kind of value. */

/** Matches ids: 64-bit integers have at most 19 decimal digits (platform contract GEN-9). */
const DIGITS = /^\d{1,19}$/;

/** Non-empty text. */
export const text = (doc: string, facts: WireFacts = {}) => wired(z.string().min(1).describe(doc), facts);

/** Text that may be empty. */
export const anyText = (doc: string, facts: WireFacts = {}) => wired(z.string().describe(doc), facts);

/** Text that matches a pattern. */
export const matching = (pattern: RegExp, doc: string, facts: WireFacts = {}) =>
  wired(z.string().regex(pattern).describe(doc), facts);

/** An id of 1 to 19 decimal digits, sent as an integer without quotation marks. */
export const integerId = (doc: string) =>
  wired(z.string().regex(DIGITS, 'must be an id of 1 to 19 digits').describe(doc), { as: 'integer' });

/** An id that may be text. If it consists of digits, it is sent as an integer without quotation marks. */
export const anyId = (doc: string) => text(doc, { as: 'integer-or-text' });

export const integerIds = (doc: string, facts: WireFacts = {}) =>
  wired(z.array(integerId(doc)).min(1).describe(doc), facts);

export const flag = (doc: string, facts: WireFacts = {}) => wired(z.boolean().describe(doc), facts);

export const number = (doc: string, facts: WireFacts = {}) => wired(z.number().describe(doc), facts);

/** A number within the documented limits. */
export const within = ([least, most]: readonly [number, number], doc: string) =>
  z.number().min(least).max(most).describe(`${doc}, ${least} to ${most}`);

export const count = (doc: string, facts: WireFacts = {}) =>
  wired(z.int().min(1).max(1_000_000).describe(doc), facts);

export const texts = (doc: string) => z.array(z.string().min(1)).min(1).describe(doc);

/** One of the documented values. */
export const choice = <const Values extends readonly [string, ...string[]]>(values: Values, doc: string) =>
  z.enum(values).describe(doc);

/** One of the given names, which the platform represents by numbers. */
export const coded = <const Codes extends Readonly<Record<string, number>>>(
  codes: Codes,
  doc: string,
  facts: WireFacts = {},
) => wired(namesOf(codes).describe(doc), { codes, ...facts });

function namesOf<Codes extends Readonly<Record<string, number>>>(codes: Codes) {
  return z.enum(
    Object.keys(codes).filter((name): name is keyof Codes & string => Object.hasOwn(codes, name)),
  );
}

/** A value that the platform's documentation does not list (platform contract GEN-12). */
const unknownValue = z.object({ known: z.literal(false), value: z.string() });

/** A value in a result: one of the documented values, or another one that is marked as unknown. */
export const reported = <const Values extends readonly [string, ...string[]]>(values: Values, doc: string) =>
  wired(z.union([z.enum(values), unknownValue]).describe(doc), { known: values });

/** A name in a result, for which the platform sends a number. */
export const reportedCode = <const Codes extends Readonly<Record<string, number>>>(
  codes: Codes,
  doc: string,
) => wired(z.union([namesOf(codes), unknownValue]).describe(doc), { codes });

/** The object as received, so that undocumented fields can be read (platform contract GEN-12). */
export const raw = () =>
  wired(z.record(z.string(), z.unknown()).describe('Everything that the platform sent'), { raw: true });

/** A file to upload. Each attempt opens the file once and must read exactly `size` bytes. */
export interface FileSource {
  readonly name: string;
  /** Media type; `application/octet-stream` by default. */
  readonly type?: string;
  /** Size in bytes. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

export const isFileSource = (value: unknown): value is FileSource =>
  typeof value === 'object' && value !== null && 'name' in value && 'size' in value && 'open' in value;

export const file = (doc: string) =>
  wired(z.custom<FileSource>(isFileSource, 'must be a file').describe(doc), { file: true });

export const files = (doc: string, facts: WireFacts = {}) =>
  wired(z.array(file(doc)).min(1).describe(doc), facts);

import { z } from 'zod';
import { asFields, type Fields, idText } from './json.ts';
import { declined, invalid, missing, type Refusal } from './reply.ts';

/**
 * Schemas for the fields of a request. An error message continues the sentence "The parameter NAME …". An error message
 * that begins with a capital is a sentence of its own.
 */

const BODY = 'The body must be a JSON object.';
const ARRAY = 'The body must be a JSON array.';
const NEEDS_ONE = 'The body must be a JSON array with at least one element.';

/** A text. Null and an empty text count as absent. */
export const text = z
  .string('must be a string')
  .nullish()
  .transform((value) => value || undefined);

export const requiredText = z.preprocess(
  (value) => value ?? '',
  z.string('must be a string').refine((value) => value.trim() !== '', 'is missing'),
);

export const requiredFlag = z.boolean('must be true or false');

/** Schema of a member that has the value `fallback` if it is absent or null. */
export const withFallback = <Schema extends z.ZodType, Fallback>(schema: Schema, fallback: Fallback) =>
  schema.nullish().transform((value) => value ?? fallback);

export const flag = (fallback: boolean, error = 'must be true or false') =>
  withFallback(z.boolean(error), fallback);
export const integer = (fallback: number) => withFallback(z.int('must be an integer'), fallback);

/** Messages for a required member; `wrong` is the message for a value of the wrong type. */
export const required = (wrong: string) => ({
  error: ({ input }: { readonly input?: unknown }) => ((input ?? null) === null ? 'is missing' : wrong),
});

/** An id or name, as text or as an integer; undefined if it is absent, null or empty (platform contract GEN-9). */
export const code = z
  .union([z.string(), z.int()], 'must be a string or an integer')
  .nullish()
  .transform((value) => String(value ?? '') || undefined);

export const requiredCode = code.transform((value, context) => value ?? refuse(context, 'is missing'));

const isCode = (value: unknown): boolean => (idText(value) ?? '') !== '';

/** An id of digits, as text or as an integer. */
export const digits = requiredCode.refine((id) => /^\d{1,19}$/.test(id), 'must be an id');

/** A number with or without a fraction. */
export const number = (fallback: number) => withFallback(z.number('must be a number'), fallback);

/** At least one id or name. */
export const codes = z
  .array(z.unknown(), 'must be an array with at least one element')
  .min(1, 'must be an array with at least one element')
  .refine((values) => values.every(isCode), 'must contain only ids or names')
  .transform((values) => values.map(String));

/** A body that is an array of ids or names. */
export const codesBody = z.array(
  z.unknown().refine(isCode, 'The body must contain only ids or names.').transform(String),
  ARRAY,
);

export const someCodesBody = codesBody.min(1, NEEDS_ONE);

/** An array of texts. */
export const texts = z.array(z.string().min(1));

/** A string or an array of strings (platform contract CHL-10: `file_id`). Null and an empty string count as absent. */
export const textList = z
  .union(
    [texts, z.string().transform((text) => (text === '' ? [] : [text]))],
    'must be a string or an array of strings',
  )
  .nullish()
  .transform((value) => value ?? []);

/** Schema that refuses an invalid value with one message, whatever is wrong inside the value. */
export const whole = <Schema extends z.ZodType>(schema: Schema, message: string) =>
  z.unknown().transform((value, context): z.output<Schema> => {
    const result = schema.safeParse(value);
    return result.success ? result.data : refuse(context, message);
  });

/** A text in several languages. */
export const localized = whole(
  z.array(z.object({ languageCode: z.string().min(1), content: z.string().min(1) })),
  'must be an array of objects with languageCode and content',
);

/** Reports an invalid value from inside the transformation of a schema. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue(message);
  return z.NEVER;
}

/**
 * Returns a property by its name, in any letter case (platform contract INC-4: names in capitals). If several
 * properties match, the property with exactly this name counts. Ignores inherited properties.
 */
export function member<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const wanted = name.toLowerCase();
  const found = Object.keys(fields).find((candidate) => candidate.toLowerCase() === wanted);
  return found === undefined ? undefined : fields[found];
}

type Names = Readonly<Record<string, string>>;

const objectOf = <Shape extends z.ZodRawShape>(
  shape: Shape,
  message: string,
  read: (fields: Fields, name: string) => unknown,
) =>
  z.preprocess(
    (value) => {
      const fields = asFields(value);
      return fields && Object.fromEntries(Object.keys(shape).map((name) => [name, read(fields, name)]));
    },
    z.object(shape, message),
  );

/**
 * An object whose property names may have any letter case. Unknown properties are ignored (platform contract GEN-12:
 * compatibility). `names` maps names in this code to the names of the deployment.
 */
export const record = <Shape extends z.ZodRawShape>(shape: Shape, message = BODY, names: Names = {}) =>
  objectOf(shape, message, (fields, name) => member(fields, names[name] ?? name));

/** Object whose properties have exactly these names. */
export const exact = <Shape extends z.ZodRawShape>(shape: Shape, message = BODY) =>
  objectOf(shape, message, (fields, name) => fields[name]);

/** A body whose properties the handler reads itself. */
export const anyBody = z.record(z.string(), z.unknown(), BODY);

/** A body that is an array with at least one element. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item, ARRAY).min(1, NEEDS_ONE);

/** Parses a value with the schema. If the value does not fit, throws the refusal for the first issue. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  refusal: (issue: z.core.$ZodIssue) => Refusal,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw issue === undefined ? result.error : refusal(issue);
}

/**
 * Returns a refusal of the Open API: `success` false, and a sentence that names the innermost field (platform contract
 * ERR-4).
 */
export const declinedBy = ({ path, message }: z.core.$ZodIssue): Refusal =>
  declined(/^[A-Z]/.test(message) ? message : `The parameter "${String(path.at(-1))}" ${message}.`);

/**
 * Returns a refusal of the lite interface: HTTP 400, with a separate error code for a missing field (platform contract
 * ERR-1: codes).
 */
export function invalidBy({ path, message }: z.core.$ZodIssue): Refusal {
  if (/^[A-Z]/.test(message)) return invalid(message);
  if (message === 'is missing') return missing(path.filter((part) => typeof part === 'string').join('.'));
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return invalid(`The parameter "${name.slice(1)}" ${message}.`);
}

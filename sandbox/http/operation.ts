import { z } from 'zod';
import type { Call } from './call.ts';
import type { Face, Reply } from './reply.ts';
import { METHODS, type Route } from './router.ts';
import { declinedBy, invalidBy, parse } from './schema.ts';

/** A request that was let in and whose body fits the operation's schema. */
export interface Asked<Caller, Body> {
  readonly call: Call;
  readonly caller: Caller;
  readonly body: Body;
}

/** Schema of an operation without a body, which is not read then. */
export const noBody = z.undefined();

/**
 * Makes the operations of one face and one kind of caller: `id` is what faults and inspection name, `route` is such as
 * `POST /v1/openapi/user`. `admit` refuses other callers before the body is read; the schema may depend on live options.
 */
export const operations =
  <Caller>(face: Face, admit: (call: Call) => Caller) =>
  <Schema extends z.ZodType>(
    id: string,
    route: string,
    schema: Schema | (() => Schema),
    handle: (asked: Asked<Caller, z.output<Schema>>) => Reply | Promise<Reply>,
  ): Route => {
    const [word, path = ''] = route.split(' ');
    const method = METHODS.find((each) => each === word);
    if (method === undefined) throw new Error(`The operation ${id} has no method.`);
    return {
      id,
      method,
      path,
      face,
      handle: async (call) => {
        const caller = admit(call);
        const wanted = typeof schema === 'function' ? schema() : schema;
        const value = Object.is(wanted, noBody) ? undefined : bodyOf(face, await call.json());
        return await handle({
          call,
          caller,
          body: parse(wanted, value, face === 'lite' ? invalidBy : declinedBy),
        });
      },
    };
  };

/** An empty body is an empty object, so a missing member is named instead; in the Open API null is one too. */
const bodyOf = (face: Face, value: unknown): unknown =>
  value === undefined || (value === null && face === 'open') ? {} : value;

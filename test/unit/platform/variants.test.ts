/** Tests, for every operation, that a request with random values is unchanged after encoding and decoding. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyOperation, operations } from '../../../src/platform/api.ts';
import { parseJson } from '../../../src/platform/json.ts';
import { decode } from '../../../src/platform/wire/decode.ts';
import { documentedDeployment as documented } from '../../../src/platform/wire/deployment.ts';
import { encode } from '../../../src/platform/wire/encode.ts';
import { arbitraryOf } from './arbitrary.ts';

/** Cases per operation. */
const RUNS = 30;
/** Seed of the random cases; set PARLEY_SEED to repeat a run. fast-check prints the seed when a property fails. */
const SEED = process.env.PARLEY_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PARLEY_SEED);
process.stdout.write(`variants: seed ${SEED}, ${RUNS} cases each\n`);

const overTheWire = (value: unknown): unknown => parseJson(JSON.stringify(value));

/** Random requests that the operation accepts. `orgUserPages` gets a fixed condition, because it requires a filter. */
function requestsOf({ id, request }: AnyOperation): fc.Arbitrary<unknown> {
  const conditions = [{ fieldName: 'OrganizationCode', fieldValue: 'x', conditionalType: 'equal' }];
  const formed = arbitraryOf(request);
  const given =
    id === 'orgUserPages' ? formed.map((value) => Object.assign({}, value, { conditions })) : formed;
  return given.filter((value) => request.safeParse(value).success);
}

describe('a request', () => {
  const travelling = operations.filter(({ body }) => body !== 'form');

  it.each(
    travelling.map((operation) => [operation.id, operation] as const),
  )('a request of %s survives encoding and decoding (CHK-3, CHK-20)', (_id, operation) => {
    const { request } = operation;
    fc.assert(
      fc.property(requestsOf(operation), (given) => {
        const checked = request.parse(given);
        const sent = overTheWire(encode(request, checked, documented));
        // A null is read as an absent field, and the schema then fills in the default.
        expect(request.parse(decode(request, sent, documented))).toEqual(checked);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

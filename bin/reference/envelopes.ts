/** What both interfaces wrap their answers in (platform contract GEN-3 to GEN-8). Pure. */

import type { AnyOperation } from '../../src/platform/api.ts';
import type { Json } from './wire-schema.ts';

/** The lite interface has an envelope of its own, but for its upload of files. */
const isLite = ({ path }: AnyOperation): boolean => !/^\/(v1\/)?openapi|^\/Api\//.test(path);

const PAGING: Json = {
  pageIndex: { type: 'integer' },
  pageSize: { type: 'integer' },
  totalCount: { type: 'integer', description: '0 or -1 where the platform does not count' },
};

export function envelope(operation: AnyOperation, data: Json): Json {
  if (isLite(operation)) {
    return {
      type: 'object',
      properties: {
        code: { type: 'integer', description: '200 or 201' },
        message: { type: 'string' },
        data,
      },
      required: ['code'],
    };
  }
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      msg: { type: ['string', 'null'] },
      data,
      ...(operation.shape === 'page' && PAGING),
    },
    required: ['success'],
  };
}

export const FAILURE: Json = {
  description: 'A refusal, in the envelope of the interface',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          success: { type: 'boolean' },
          msg: { type: ['string', 'null'] },
        },
      },
    },
  },
};

import type { Json } from './shapes.ts';

/** Slack's `{ ok: false, error }`; `more` contains further properties of the response. */
export class Refusal extends Error {
  readonly code: string;
  readonly more: Json;
  constructor(code: string, more: Json = {}) {
    super(code);
    this.code = code;
    this.more = more;
  }
}

export function refuse(code: string, more: Json = {}): never {
  throw new Refusal(code, more);
}

/** A refusal with Slack's list of errors, one per line. */
export function refuseWith(code: string, messages: readonly string[]): never {
  throw new Refusal(code, { response_metadata: { messages } });
}

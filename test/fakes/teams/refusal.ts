/**
 * A refusal of the Bot Connector: a status, and `{ error: { code, message } }`.
 * Bot Connector REST reference, "Error handling"; codes: Teams documentation, "Status codes from bot conversational APIs".
 */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function refuse(status: number, code: string, message: string): never {
  throw new Refusal(status, code, message);
}

export function badRequest(message: string): never {
  return refuse(400, 'BadRequest', message);
}

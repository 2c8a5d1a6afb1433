/** Errors of servers of language models, in the words of the bridge, each with its cure. */

import type { Remark } from '../core/agents/agent.ts';
import { BridgeError, type ErrorCode } from '../errors.ts';
import { AUTH_PATTERN, failureOf, parseRetryAfter } from '../platform/index.ts';
import type { Secret } from '../secret.ts';

/** The settings of an agent that errors name. */
export interface Server {
  /** The agent's name. */
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: Secret | undefined;
}

const TOO_LONG = /context[_ ](?:length|window|size)|maximum context|too many tokens|prompt is too long/i;

/**
 * Converts an error of the package `openai`, whose classes are not loaded here, into one of the bridge.
 * @param hasBegun true if a part of the answer has arrived
 * @param now the time for `Retry-After`, in milliseconds since the epoch
 */
export function failureIn(thrown: unknown, server: Server, hasBegun: boolean, now: number): BridgeError {
  const own = [thrown, causeOf(thrown)].find((each) => each instanceof BridgeError);
  if (own instanceof BridgeError) return own;
  const { status, headers, error, message } = membersOf(thrown);
  const text = textOf(error) ?? textOf(message) ?? '';
  if (typeof status === 'number') {
    const retryAfter = headers instanceof Headers ? headers.get('retry-after') : null;
    return refusal(server, status, text, parseRetryAfter(retryAfter ?? undefined, now));
  }
  // The package throws this for an error event in the stream.
  if (error !== undefined) return refusal(server, 500, text, undefined);
  if (/timed out/i.test(text))
    return failure('platform-timeout', server, 'did not answer in time', 'Check the load of the server.');
  // A broken connection is a TypeError with a cause.
  if (thrown instanceof SyntaxError || (thrown instanceof TypeError && thrown.cause === undefined))
    return failure('platform-protocol', server, 'sent an event that cannot be read', CHECK_URL);
  if (hasBegun) return failure('platform-interrupted', server, 'ended the connection', 'Check the server.');
  const why = causeOf(causeOf(thrown)) ?? causeOf(thrown);
  const { code } = membersOf(why);
  return failure('platform-unreachable', server, `cannot be reached (${textOf(code) ?? text})`, CHECK_URL);
}

export const CHECK_URL = 'Check baseUrl, which usually ends with /v1, and that the server runs.';

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined);

function textOf(error: unknown): string | undefined {
  const { message } = membersOf(error);
  return [message, error].find((each) => typeof each === 'string');
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (hasMembers(value) ? value : {});

const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** @param what the end of a sentence that begins with the server's address */
export const failure = (
  code: ErrorCode,
  { name, baseUrl }: Pick<Server, 'name' | 'baseUrl'>,
  what: string,
  cure: string,
): BridgeError => new BridgeError(code, `The agent "${name}": ${baseUrl} ${what}. ${cure}`);

function refusal(
  server: Server,
  status: number,
  text: string,
  retryAfterMs: number | undefined,
): BridgeError {
  const error = failureOf({
    operation: `the agent "${server.name}"`,
    status,
    refusal: { text },
    retryAfterMs,
    secrets: server.key === undefined ? [] : [server.key.reveal().trim()],
    authPattern: AUTH_PATTERN,
  });
  const isTooLong = status === 413 || (status < 500 && TOO_LONG.test(text));
  const code = isTooLong ? 'question-too-long' : error.code;
  const { tellUser, said, facts } = error;
  return new BridgeError(code, `${error.message.replace(/\.$/, '')}. ${cureOf(server, status, code)}`, {
    ...(!isTooLong && { tellUser }),
    ...(!isTooLong && said !== undefined && { said }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    facts,
  });
}

function cureOf({ name, model }: Server, status: number, code: ErrorCode): string {
  const setting = (key: string) => `agents.${name}.${key}`;
  if (code === 'question-too-long')
    return `Lower ${setting('historyChars')}, or use a model with a longer context.`;
  if (code === 'platform-auth') return `Set ${setting('key')} to a valid key.`;
  if (code === 'platform-permission') return `Ask the server's operator to allow "${model}" for this key.`;
  if (code === 'platform-busy') return "Wait, or raise the limits of the key with the server's operator.";
  if (code === 'platform-server') return "Look into the server's log.";
  if (status === 404)
    return `Check ${setting('model')} ("${model}"), and that ${setting('baseUrl')} ends with /v1.`;
  return `Check ${setting('model')} and ${setting('temperature')}.`;
}

/** Returns the remark about how the model ended. Throws `platform-refused` if a filter ended the answer. */
export function endOf(reason: string | undefined, server: Server): Remark | undefined {
  if (reason === 'content_filter') {
    const tellUser = "The agent's filter for harmful content stopped the answer.";
    const message = `The agent "${server.name}": the content filter of ${server.baseUrl} stopped the answer.`;
    throw new BridgeError('platform-refused', message, { tellUser });
  }
  if (reason === 'length') return 'answer-cut';
  return reason === undefined ? 'end-unmarked' : undefined;
}

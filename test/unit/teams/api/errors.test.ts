import { expect, it } from 'vitest';
import { isClosed, type Meaning, refusalIn } from '../../../../adapters/teams/api/errors.ts';

const NOW = Date.UTC(2026, 10, 1);
const stream = 'ContentStreamNotAllowed';

function refusal(status: number, body: unknown, headers: Readonly<Record<string, string | string[]>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return refusalIn({ kind: 'answered', status, headers, body: Buffer.from(text) }, NOW);
}

/** The codes come from Microsoft's pages "Status codes from bot conversational APIs" and "Stream bot messages". */
it.each<[number, string, string, Meaning, boolean]>([
  [400, 'Bad Argument', 'Unknown attachment type', 'invalid', false],
  [400, 'BadRequest', 'Start streaming activities should include text', 'invalid', false],
  [400, 'BadSyntax', 'Only start streaming and continue streaming types are allowed', 'invalid', false],
  [401, 'BotNotRegistered', 'No registration found for this bot.', 'busy', false],
  [403, 'BotDisabledByAdmin', 'The tenant admin disabled this bot', 'gone', true],
  [403, 'BotNotInConversationRoster', "The bot isn't part of the conversation roster.", 'gone', true],
  [403, 'ConversationBlockedByUser', 'User blocked the conversation with the bot.', 'gone', true],
  [403, 'ForbiddenOperationException', "Bot isn't installed in user's personal scope", 'gone', true],
  [403, 'NotEnoughPermissions', 'Bot does not have required permissions', 'denied', false],
  [403, 'InvalidBotApiHost', 'Invalid bot api host.', 'denied', false],
  [403, 'ServiceError', 'Unknown', 'denied', false],
  [403, '', '', 'denied', false],
  [404, 'ServiceError', 'Unknown', 'denied', false],
  [404, '', '', 'denied', false],
  [404, 'BotNotInConversationRoster', 'Bot is not a member of the conversation.', 'gone', true],
  [403, stream, 'Content stream is not allowed', 'streamless', false],
  [403, stream, 'Content stream is not allowed on an already completed streamed message', 'not-live', false],
  [403, stream, 'Content stream finished due to exceeded streaming time.', 'not-live', false],
  [403, stream, 'Message size too large', 'too-big', false],
  [403, stream, 'Content stream was canceled by user.', 'stopped', false],
  [403, stream, 'Content stream was cancelled by user.', 'stopped', false],
  [403, stream, 'Request streamed content should contain the previously streamed content', 'not-live', false],
  [403, stream, 'A sentence of next year', 'not-live', false],
  [404, 'ActivityNotFoundInConversation', 'Conversation not found.', 'gone', false],
  [404, 'ConversationNotFound', 'Conversation not found.', 'denied', false],
  [408, '', '', 'unknown', false],
  [409, '', '', 'busy', false],
  [410, '', '', 'invalid', false],
  [412, 'PreconditionFailed', 'Precondition failed, please try again.', 'busy', false],
  [413, 'MessageSizeTooBig', 'Message size too large.', 'too-big', false],
  [413, '', '', 'too-big', false],
  [429, 'Throttled', 'Too many requests', 'rate', false],
  [500, 'ServiceError', 'various', 'unknown', false],
  [502, 'ServiceError', 'various', 'unknown', false],
  [503, '', '', 'busy', false],
  [504, '', '', 'unknown', false],
  [202, 'ContentStreamSequenceOrderPreConditionFailed', 'PreCondition failed exception', 'dropped', false],
])('%i %s (%s) is %s', (status, code, message, meaning, closed) => {
  const found = refusal(status, { error: { code, message } });
  expect(found).toMatchObject({ status, meaning, code: code || 'unreadable' });
  expect(found && isClosed(found)).toBe(closed);
});

const CLOSED = 'MessageWritesBlocked';
const inner = { error: { code: 'ServiceError', message: 'Unknown', innerHttpError: {} } };
it.each<[string, unknown, Meaning]>([
  ['another spelling', { error: { code: 'message_writes_blocked' } }, 'gone'],
  ['spaces', { error: { code: 'Message Writes Blocked' } }, 'gone'],
  ['the error is the code', { error: CLOSED }, 'gone'],
  ['only a message', { message: CLOSED }, 'gone'],
  ['an older service', { errorCode: 209, message: JSON.stringify({ subCode: CLOSED }) }, 'gone'],
  ['an errorCode', { errorCode: CLOSED, message: 'no' }, 'gone'],
  ['capitals', { Error: { Code: CLOSED } }, 'denied'],
  [
    'an inner error',
    { error: { ...inner.error, innerHttpError: { statusCode: 403, body: { error: { code: CLOSED } } } } },
    'gone',
  ],
  [
    'an inner error as text',
    { error: { ...inner.error, innerHttpError: { body: JSON.stringify({ code: CLOSED }) } } },
    'gone',
  ],
  ['an inner error without a code', inner, 'denied'],
  ['a message that names a code', { error: { code: 'ServiceError', message: `not ${CLOSED}` } }, 'denied'],
  ['a web page', `<html>${CLOSED}</html>`, 'denied'],
  ['nothing', '', 'denied'],
  ['a list', [{ code: CLOSED }], 'denied'],
  ['a number as code', { error: { code: 403 } }, 'denied'],
  ['a name of every object', { error: { code: 'constructor' } }, 'denied'],
  ['deep nesting', JSON.parse(`${'{"error":'.repeat(400)}{}${'}'.repeat(400)}`), 'denied'],
])('a 403 with %s', (_, body, meaning) => {
  expect(refusal(403, body)).toMatchObject({ status: 403, meaning });
});

it('finds no refusal in a success', () => {
  expect(refusal(200, { code: CLOSED })).toBeUndefined();
  expect(refusal(202, {})).toBeUndefined();
  expect(refusal(201, { id: '1' })).toBeUndefined();
  expect(refusal(200, '')).toBeUndefined();
});

it('reads the codes of older services, and no web pages', () => {
  const message = JSON.stringify({ subCode: 'MessageWritesBlocked', details: 'Thread is blocked.' });
  expect(refusal(403, { errorCode: 209, message })).toMatchObject({
    code: 'MessageWritesBlocked',
    meaning: 'gone',
  });
  for (const body of [
    '<html>secret</html>',
    { error: { code: '<b>secret</b>' } },
    '{',
    '[]',
    { message: '{' },
  ]) {
    expect(refusal(400, body)).toEqual({ status: 400, code: 'unreadable', meaning: 'invalid' });
  }
});

it.each([
  ['2', 2_000],
  ['0.5', 500],
  ['Sun, 01 Nov 2026 00:00:30 GMT', 30_000],
  ['Sun, 01 Nov 2020 00:00:30 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads Retry-After: %s', (said, ms) => {
  const found = refusal(429, {}, said === undefined ? {} : { 'retry-after': said });
  expect(found?.retryAfterMs).toBe(ms);
});

it('reads the first of two headers Retry-After', () => {
  expect(refusal(429, {}, { 'retry-after': ['3', '60'] })?.retryAfterMs).toBe(3_000);
});

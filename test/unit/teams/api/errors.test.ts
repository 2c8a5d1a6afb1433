import { expect, it } from 'vitest';
import { isClosed, type Meaning, refusalIn } from '../../../../adapters/teams/api/errors.ts';

const NOW = Date.UTC(2026, 10, 1);
const stream = 'ContentStreamNotAllowed';

function refusal(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
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
  [403, 'NotEnoughPermissions', 'Bot does not have required permissions', 'gone', true],
  [403, stream, 'Content stream is not allowed', 'streamless', false],
  [403, stream, 'Content stream is not allowed on an already completed streamed message', 'not-live', false],
  [403, stream, 'Content stream finished due to exceeded streaming time.', 'not-live', false],
  [403, stream, 'Message size too large', 'too-big', false],
  [403, stream, 'Content stream was canceled by user.', 'stopped', false],
  [403, stream, 'Content stream was cancelled by user.', 'stopped', false],
  [403, stream, 'Request streamed content should contain the previously streamed content', 'not-live', false],
  [403, stream, 'A sentence of next year', 'not-live', false],
  [404, 'ActivityNotFoundInConversation', 'Conversation not found.', 'gone', false],
  [404, 'ConversationNotFound', 'Conversation not found.', 'gone', true],
  [412, 'PreconditionFailed', 'Precondition failed, please try again.', 'busy', false],
  [413, 'MessageSizeTooBig', 'Message size too large.', 'too-big', false],
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

it('finds no refusal in a success', () => {
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

import { describe, expect, it } from 'vitest';
import { meaningOf, meanings } from '../../../../adapters/slack/api/errors.ts';
import { isSlackAddress } from '../../../../adapters/slack/api/post.ts';
import { SLACK_API } from '../../../../adapters/slack/config.ts';
import { documentedErrors } from './documented-errors.ts';

describe('the meaning of an error code', () => {
  it('is defined for every documented error of the methods that the code calls', () => {
    const unknown = Object.entries(documentedErrors).flatMap(([method, codes]) =>
      codes.filter((code) => !meanings.has(code)).map((code) => `${method}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ['chat.update', 'message_not_found', 'gone'],
    ['chat.update', 'cant_update_message', 'gone'],
    ['chat.update', 'streaming_state_conflict', 'live'],
    ['chat.update', 'msg_too_long', 'invalid'],
    ['chat.update', 'update_failed', 'unknown'],
    ['chat.appendStream', 'message_not_in_streaming_state', 'not-live'],
    ['chat.appendStream', 'stopped_by_user', 'not-live'],
    ['chat.postMessage', 'is_archived', 'gone'],
    ['chat.postMessage', 'restricted_action', 'gone'],
    ['chat.postMessage', 'invalid_blocks', 'invalid'],
    ['chat.postMessage', 'ratelimited', 'rate'],
    ['chat.postMessage', 'token_revoked', 'off'],
    ['chat.delete', 'message_not_found', 'done'],
    ['reactions.add', 'already_reacted', 'done'],
    ['reactions.remove', 'no_reaction', 'done'],
    ['agents.sessions.setStatus', 'not_allowed_token_type', 'unsupported'],
    ['chat.postMessage', 'what_is_this', 'unknown'],
  ])('for %s %s is %s', (method, code, meaning) => {
    expect(meaningOf(method, code)).toBe(meaning);
  });
});

it('posts only to addresses of Slack, or of the server that SLACK_API_URL names', () => {
  expect(isSlackAddress('https://hooks.slack.com/commands/1', SLACK_API)).toBe(true);
  expect(isSlackAddress('https://files.slack.com/upload/1', SLACK_API)).toBe(true);
  expect(isSlackAddress('http://hooks.slack.com/commands/1', SLACK_API)).toBe(false);
  expect(isSlackAddress('https://slack.com.evil.example/', SLACK_API)).toBe(false);
  expect(isSlackAddress('https://evilslack.com/', SLACK_API)).toBe(false);
  expect(isSlackAddress('http://127.0.0.1:9/x', 'http://127.0.0.1:9/api/')).toBe(true);
  expect(isSlackAddress('no address', SLACK_API)).toBe(false);
});

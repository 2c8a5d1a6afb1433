import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { meaningOf, meanings } from '../../../../adapters/slack/api/errors.ts';
import { isSlackAddress } from '../../../../adapters/slack/api/post.ts';
import { SLACK_API } from '../../../../adapters/slack/config.ts';
import { methods } from '../../../../adapters/slack/limits.ts';
import { documentedErrors, seenErrors } from './documented-errors.ts';

describe('the meaning of an error code', () => {
  it('is defined for every documented error of the methods that the code calls', () => {
    const unlisted = Object.keys(methods).filter((method) => documentedErrors[method] === undefined);
    expect(unlisted, 'methods without a list of their errors').toEqual([]);
    const all = [...Object.entries(documentedErrors).flatMap(([, codes]) => codes)];
    const seen = seenErrors.map(([, code]) => code);
    expect([...all, ...seen].filter((code) => !meanings.has(code))).toEqual([]);
  });

  it('is told on the page for operators, in the row of its meaning', () => {
    const page = readFileSync('docs/reference/slack-errors.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| ((?:`[a-z_]+`,? ?)+)\|$/gm)];
    const told = new Map(
      rows.flatMap(([, meaning = '', codes = '']) =>
        [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => [code, meaning] as const),
      ),
    );
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(meanings));
  });

  it.each([
    ['chat.update', 'message_not_found', 'gone'],
    ['chat.update', 'cant_update_message', 'fixed'],
    ['chat.update', 'edit_window_closed', 'fixed'],
    ['chat.update', 'thread_locked', 'fixed'],
    ['chat.update', 'is_inactive', 'closed'],
    ['chat.update', 'streaming_state_conflict', 'live'],
    ['chat.update', 'msg_too_long', 'invalid'],
    ['chat.update', 'update_failed', 'unknown'],
    ['chat.update', 'what_is_this', 'unknown'],
    ['chat.update', 'team_not_found', 'fixed'],
    ['chat.startStream', 'user_not_found', 'invalid'],
    ['chat.startStream', 'restricted_action', 'invalid'],
    ['chat.startStream', 'what_is_this', 'invalid'],
    ['chat.appendStream', 'message_not_in_streaming_state', 'not-live'],
    ['chat.appendStream', 'stopped_by_user', 'not-live'],
    ['chat.appendStream', 'message_not_found', 'not-live'],
    ['chat.appendStream', 'is_archived', 'not-live'],
    ['chat.stopStream', 'message_not_owned_by_app', 'not-live'],
    ['chat.postMessage', 'is_archived', 'closed'],
    ['chat.postMessage', 'restricted_action', 'closed'],
    ['chat.postMessage', 'team_access_not_granted', 'closed'],
    ['chat.postMessage', 'thread_locked', 'threadless'],
    ['chat.postMessage', 'invalid_thread_ts', 'threadless'],
    ['chat.postMessage', 'cannot_reply_to_message', 'threadless'],
    ['chat.postMessage', 'invalid_blocks', 'invalid'],
    ['chat.postMessage', 'ratelimited', 'rate'],
    ['chat.postMessage', 'token_revoked', 'off'],
    ['chat.postMessage', 'what_is_this', 'invalid'],
    ['chat.postEphemeral', 'what_is_this', 'invalid'],
    ['chat.stopStream', 'what_is_this', 'invalid'],
    ['openid.connect.token', 'what_is_this', 'invalid'],
    ['chat.delete', 'message_not_found', 'done'],
    ['chat.delete', 'cant_delete_message', 'done'],
    ['conversations.replies', 'thread_not_found', 'invalid'],
    ['reactions.add', 'already_reacted', 'done'],
    ['reactions.remove', 'no_reaction', 'done'],
    ['agents.sessions.setStatus', 'not_allowed_token_type', 'unsupported'],
  ])('for %s %s is %s', (method, code, meaning) => {
    expect(meaningOf(method, code)).toBe(meaning);
  });

  it.each([
    ['chat.startStream', 'invalid', ['closed', 'threadless', 'fixed', 'gone']],
    ['conversations.replies', 'invalid', ['closed', 'threadless', 'fixed', 'gone']],
    ['chat.appendStream', 'not-live', ['closed', 'threadless', 'fixed', 'gone']],
    ['chat.stopStream', 'not-live', ['fixed', 'gone']],
    ['chat.update', 'fixed', ['threadless']],
  ])('a refusal of %s does not decide about the reply: it is %s', (method, meaning, undecided) => {
    const codes = [...meanings].flatMap(([code, own]) => (undecided.includes(own) ? [code] : []));
    expect(codes.filter((code) => meaningOf(method, code) !== meaning)).toEqual([]);
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

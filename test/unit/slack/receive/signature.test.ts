import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSigned, readClaim } from '../../../../adapters/slack/receive/signature.ts';
import { secret } from '../rig.ts';

const SECONDS = 1_793_491_200;
const NOW = SECONDS * 1_000;
const body = Buffer.from('{"type":"event_callback"}');
const signatureOf = (base: string, key: string) =>
  `v0=${createHmac('sha256', key).update(base).digest('hex')}`;
const signedWith = (key: string) => ({
  timestamp: String(SECONDS),
  signature: signatureOf(`v0:${SECONDS}:${body}`, key),
});

describe('the signature', () => {
  test('is computed from the version, the time and the body with the secret', () => {
    expect(isSigned(signedWith('a-secret'), body, secret('a-secret'))).toBe(true);
    expect(isSigned(signedWith('another'), body, secret('a-secret'))).toBe(false);
    expect(isSigned(signedWith('a-secret'), Buffer.from(`${body} `), secret('a-secret'))).toBe(false);
    const later = { ...signedWith('a-secret'), timestamp: String(SECONDS + 1) };
    expect(isSigned(later, body, secret('a-secret'))).toBe(false);
  });

  test.each([
    '',
    ' ',
    '\n',
  ])('with a blank secret (%j) proves nothing, because anyone can compute it', (blank) => {
    expect(isSigned(signedWith(blank), body, secret(blank))).toBe(false);
  });

  test('matches Slack’s own example', () => {
    // Example request of https://docs.slack.dev/authentication/verifying-requests-from-slack
    const sent = Buffer.from(
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    );
    const claim = {
      timestamp: '1531420618',
      signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    expect(isSigned(claim, sent, secret('8f742231b10e8888abcd99yyyzzz85a5'))).toBe(true);
  });
});

describe('the headers of a claim', () => {
  const { timestamp, signature } = signedWith('a-secret');
  const read = (changes: Record<string, string | string[] | undefined>, now = NOW) =>
    readClaim({ 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature, ...changes }, now);

  test('are read unchanged', () => {
    expect(read({})).toEqual({ timestamp, signature });
  });

  test.each([
    [0, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ])('count %i s after signing: %s', (seconds, counts) => {
    expect(read({}, NOW + seconds * 1_000) !== undefined).toBe(counts);
    expect(read({}, NOW + seconds * 1_000 + 999) !== undefined).toBe(counts);
  });

  test.each([
    { 'x-slack-request-timestamp': undefined },
    { 'x-slack-request-timestamp': '' },
    { 'x-slack-request-timestamp': `${timestamp} ` },
    { 'x-slack-request-timestamp': ` ${timestamp}` },
    { 'x-slack-request-timestamp': `${timestamp}.0` },
    { 'x-slack-request-timestamp': `000${timestamp}` },
    { 'x-slack-request-timestamp': '1e9' },
    { 'x-slack-request-timestamp': [timestamp] },
    { 'x-slack-signature': undefined },
    { 'x-slack-signature': '' },
    { 'x-slack-signature': [signature] },
    { 'x-slack-signature': signature.slice(0, -1) },
    { 'x-slack-signature': `${signature}0` },
    { 'x-slack-signature': ` ${signature}` },
    { 'x-slack-signature': signature.toUpperCase() },
    { 'x-slack-signature': signature.replace('v0=', 'v1=') },
    { 'x-slack-signature': `v0=${'g'.repeat(64)}` },
    { 'x-slack-signature': `v0=${'ü'.repeat(64)}` },
  ])('that are malformed count as missing: %j', (changes) => {
    expect(read(changes)).toBeUndefined();
  });

  test('contain a time of at most 12 digits', () => {
    expect(read({ 'x-slack-request-timestamp': `00${timestamp}` })).toBeDefined();
    expect(read({ 'x-slack-request-timestamp': '7' }, 7_000)).toBeDefined();
  });
});

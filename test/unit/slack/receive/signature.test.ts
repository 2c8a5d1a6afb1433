import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSigned } from '../../../../adapters/slack/receive/signature.ts';
import { secret } from '../rig.ts';

const body = Buffer.from('{"type":"event_callback"}');
const signedWith = (key: string) => ({
  timestamp: '1793491200',
  signature: `v0=${createHmac('sha256', key).update('v0:1793491200:').update(body).digest('hex')}`,
});

test('the secret signs', () => {
  expect(isSigned(signedWith('a-secret'), body, secret('a-secret'))).toBe(true);
  expect(isSigned(signedWith('another'), body, secret('a-secret'))).toBe(false);
});

test.each([
  '',
  ' ',
  '\n',
])('a blank secret (%j) proves nothing, although everybody can sign with it', (blank) => {
  expect(isSigned(signedWith(blank), body, secret(blank))).toBe(false);
});

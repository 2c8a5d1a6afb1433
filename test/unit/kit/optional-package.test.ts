import { expect, test } from 'vitest';
import { withPackages } from '../../../src/kit/optional-package.ts';

const missing = () => Promise.reject(new Error("Cannot find package 'sax' imported from /channel/a.ts"));

test.each([
  [undefined, 'Install Parley without --omit=optional, or run npm install sax.'],
  ['Run npm install in its folder.', 'Run npm install in its folder.'],
])('a missing package is named with the cure (%s)', async (cure, told) => {
  await expect(withPackages('XMPP', missing, cure)).rejects.toMatchObject({
    code: 'channel-unavailable',
    message: `XMPP needs the optional package sax, which is not installed. ${told}`,
  });
});

test('every other failure is passed on', async () => {
  const failure = new Error('broken');
  await expect(withPackages('XMPP', () => Promise.reject(failure))).rejects.toBe(failure);
});

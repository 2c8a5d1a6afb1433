/** Tests shared files: how they are found, which token, if any, is sent for them, and how their content is checked. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileRef } from '../../../../src/kit.ts';
import type { FakePerson } from '../../../fakes/teams/index.ts';
import type { SayOptions } from '../../../fakes/teams/people/say.ts';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let person: FakePerson;
beforeEach(async () => {
  rig = await startRig();
  person = rig.fake.tenant().person();
});
afterEach(() => rig.close());

const MEGABYTE = 1_000_000;

async function shared(options: SayOptions): Promise<readonly FileRef[]> {
  await person.says(person.dm(), 'look', options).delivery?.done;
  const [taken] = rig.taken.splice(0);
  return taken?.kind === 'ask' ? taken.message.files : [];
}

const image = (contentUrl: string) => shared({ attachments: [{ contentType: 'image/png', contentUrl }] });

async function open(file: FileRef | undefined, limit = MEGABYTE) {
  if (file === undefined) throw new Error('no file was shared');
  return rig.adapter.openFile(file, limit, new AbortController().signal);
}

/** Methods of calls for the sign-in and for signing keys, which the tests do not count. */
const SIGN_IN = ['token', 'openid', 'keys'];
const callsThatAsk = () => rig.fake.log.calls.filter(({ method }) => !SIGN_IN.includes(method));
const fileCalls = () => rig.fake.log.calls.filter(({ method }) => method === 'view' || method === 'file');

test('a pasted image is read with the bot’s token, an attached file without one', async () => {
  const [picture, document] = await shared({
    pictures: [{}],
    files: [{ name: 'plan.pdf', bytes: Buffer.from('%PDF-1.7') }],
  });
  expect([picture, document]).toMatchObject([
    { name: 'image', type: 'image/*' },
    { name: 'plan.pdf', type: 'application/octet-stream' },
  ]);
  expect(
    Buffer.from(await open(picture))
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  expect(Buffer.from(await open(document)).toString()).toBe('%PDF-1.7');
  expect(fileCalls().map(({ method, bearer, status }) => [method, bearer ?? true, status])).toEqual([
    ['view', true, 200],
    ['file', false, 200],
  ]);
  expect(rig.fake.log.violations).toEqual([]);
});

describe('a file', () => {
  test.each([
    'https://evil.example/v3/attachments/1/views/original',
    'http://169.254.169.254/latest/meta-data',
    'https://smba.trafficmanager.net.evil.example/v3/attachments/1/views/original',
    'file:///etc/passwd',
    '\\\\server\\share\\file.png',
    'data:image/png;base64,AAAA',
    'nowhere',
  ])('on a host outside of Teams is not requested: %s', async (contentUrl) => {
    const [file] = await image(contentUrl);
    await expect(open(file)).rejects.toMatchObject({ code: 'image-refused' });
    expect(callsThatAsk()).toEqual([]);
  });

  test.each([
    'v3/conversations/a%3A1/members',
    'v3/attachments/1/views/original/../../../../conversations/a/members',
    'v3/attachments/..%2F..%2Fconversations/views/original',
  ])('at another path of the Bot Connector is not requested: %s', async (path) => {
    const [file] = await image(`${rig.fake.serviceUrl()}${path}`);
    await expect(open(file)).rejects.toMatchObject({ code: 'image-refused' });
    expect(callsThatAsk()).toEqual([]);
  });

  test('at Microsoft Graph gets no token', async () => {
    const [file] = await image(`${rig.fake.services.graph}/v1.0/chats/1/messages`);
    await expect(open(file)).rejects.toMatchObject({ code: 'image-refused' });
    expect(rig.fake.log.calls.filter(({ method }) => method === 'graph')).toEqual([]);
  });

  test.each([
    'redirect',
    'foreign',
    'expired',
    'html',
  ] as const)('is refused if its address is or returns: %s', async (odd) => {
    for (const file of await shared({ pictures: [{ odd }], files: [{ odd }] })) {
      await expect(open(file)).rejects.toMatchObject({ code: 'image-refused' });
    }
    expect(rig.fake.elsewhere.requests).toEqual([]);
    expect(rig.fake.log.violations).toEqual([]);
  });

  test('is refused if its address requires a sign-in', async () => {
    const [file] = await shared({ files: [{}] });
    const stale = file && { ...file, id: file.id.replace(/tempauth=.*/, 'tempauth=stale') };
    await expect(open(stale)).rejects.toMatchObject({ message: expect.stringContaining('web page') });
  });

  test('is cut off if it is too large or endless', async () => {
    const [large] = await shared({ pictures: [{ bytes: Buffer.alloc(2 * MEGABYTE, 1) }] });
    await expect(open(large)).rejects.toMatchObject({ message: expect.stringContaining('larger') });
    const [endless] = await shared({ files: [{ odd: 'endless', bytes: Buffer.alloc(65_536, 1) }] });
    await expect(open(endless)).rejects.toMatchObject({ message: expect.stringContaining('larger') });
  });
});

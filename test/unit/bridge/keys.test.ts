import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf, openKeys } from '../../../src/bridge/keys.ts';
import { Secret } from '../../../src/secret.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'parley-keys-'));
});
afterEach(() => rm(data, { recursive: true }));

const secret = new Secret('a-key-of-thirty-two-characters-00');
const database = { url: new Secret('postgres://host/name'), installation: 'parley' };
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex');

describe('the keys of replicas', () => {
  it('are equal where PARLEY_KEY is, and leave no file', async () => {
    const one = await openKeys({ key: secret, data, database });
    const other = await openKeys({ key: new Secret(`${secret.reveal()}\n`), data, database });
    expect(hex(await one.links())).toBe(hex(await other.links()));
    expect(hex(one.state())).toBe(hex(other.state()));
    expect(fingerprintOf(secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(data)).toEqual([]);
  });

  it('differ by purpose and by PARLEY_KEY', async () => {
    const keysOf = async (key: Secret) => {
      const keys = await openKeys({ key, data, database });
      return [hex(await keys.links()), hex(keys.state()), fingerprintOf(key)];
    };
    const all = [...(await keysOf(secret)), ...(await keysOf(new Secret(`${secret.reveal()}x`)))];
    expect(new Set(all).size).toBe(6);
  });

  it('stay the same while a process runs, also if PARLEY_KEY is rotated', async () => {
    let text = secret.reveal();
    const keys = await openKeys({ key: new Secret(() => text), data, database });
    const before = hex(keys.state());
    text = 'another-key-of-thirty-two-characters';
    expect(hex(keys.state())).toBe(before);
  });
});

describe('the keys of one process', () => {
  it('are files of the data folder, which a second start reads', async () => {
    const before = await openKeys({ data });
    const links = hex(await before.links());
    expect((await readdir(data)).toSorted()).toEqual(['link.key', 'state.key']);
    const after = await openKeys({ data });
    expect([hex(await after.links()), hex(after.state())]).toEqual([links, hex(before.state())]);
  });

  it('need no file for the state with PARLEY_KEY, and follow its rotation', async () => {
    let text = secret.reveal();
    const keys = await openKeys({ key: new Secret(() => text), data });
    const before = hex(keys.state());
    text = 'another-key-of-thirty-two-characters';
    expect(hex(keys.state())).not.toBe(before);
    expect(await readdir(data)).toEqual([]);
  });
});

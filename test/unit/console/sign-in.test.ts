import { describe, expect, it } from 'vitest';
import { SignIn } from '../../../adapters/console/http/sign-in.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

describe('wrong tokens', () => {
  const TRIES = 10;
  const guessFrom = async (addresses: readonly string[]) => {
    const clock = createVirtualClock();
    const signIn = new SignIn({ reveal: () => 'right' }, clock);
    const tried = addresses.map((address) => signIn.open('wrong', address).catch(() => undefined));
    await clock.pass(1_000);
    await Promise.all(tried);
    return signIn;
  };
  const count = (make: (nth: number) => string) => Array.from({ length: TRIES }, (_, nth) => make(nth + 1));

  it.each([
    ['with a port that a proxy added', count((nth) => `203.0.113.7:${40_000 + nth}`), '203.0.113.7:1'],
    ['of IPv6 with its port', count((nth) => `[2001:db8::7]:${40_000 + nth}`), '[2001:db8::7]:1'],
    ['of one IPv6 network', count((nth) => `2001:db8:1:2:${nth}::${nth}`), '2001:DB8:1:2:ffff::1'],
    ['of one short IPv6 network', count((nth) => `2001:db8::${nth}`), '2001:db8:0:0:9:9:9:9'],
  ])('count together for addresses %s', async (_which, addresses, next) => {
    const signIn = await guessFrom(addresses);
    await expect(signIn.open('right', next)).rejects.toMatchObject({ status: 429 });
  });

  it.each([
    ['IPv4 written as IPv6', count(() => '::ffff:203.0.113.7'), '::ffff:203.0.113.8'],
    ['IPv6 networks', count((nth) => `2001:db8:1:2::${nth}`), '2001:db8:1:3::1'],
  ])('count separately for other %s', async (_which, addresses, next) => {
    const signIn = await guessFrom(addresses);
    expect(await signIn.open('right', next)).toContain('HttpOnly');
  });

  it('never lock out the right token, however many people guess at once', async () => {
    const clock = createVirtualClock();
    const signIn = new SignIn({ reveal: () => 'right' }, clock);
    const status = ({ status }: { status: number }) => status;
    const tried = Array.from({ length: 60 }, (_, nth) =>
      signIn.open('wrong', `198.51.100.${nth}`).catch(status),
    );
    expect(await signIn.open('right', '203.0.113.7')).toContain('HttpOnly');
    await clock.pass(500);
    const statuses = await Promise.all(tried);
    expect(statuses.filter((each) => each === 401)).toHaveLength(50);
    expect(statuses.filter((each) => each === 429)).toHaveLength(10);
  });

  it('are answered after 500 ms, and lock an address until a minute after its first one (S13)', async () => {
    const clock = createVirtualClock();
    const signIn = new SignIn({ reveal: () => 'right' }, clock);
    const guess = () => signIn.open('wrong', '203.0.113.7').catch((refusal: unknown) => refusal);
    for (let nth = 0; nth < TRIES; nth += 1) {
      const guessed = guess();
      await clock.pass(499);
      expect(await Promise.race([guessed, 'not yet'])).toBe('not yet');
      await clock.pass(4_501);
      expect(await guessed).toMatchObject({ status: 401 });
    }
    expect(await guess()).toMatchObject({ status: 429, retryAfter: 10 });
    await clock.pass(9_500);
    expect(await guess()).toMatchObject({ status: 429, retryAfter: 1 });
    await clock.pass(500);
    expect(await signIn.open('right', '203.0.113.7')).toContain('HttpOnly');
  });

  it('make room for others once they are answered', async () => {
    const clock = createVirtualClock();
    const signIn = new SignIn({ reveal: () => 'right' }, clock);
    for (let round = 0; round < 3; round += 1) {
      const tried = Array.from({ length: 50 }, (_, nth) =>
        signIn.open('wrong', `198.51.${round}.${nth}`).catch((refusal: unknown) => refusal),
      );
      await clock.pass(500);
      expect(await Promise.all(tried)).toEqual(tried.map(() => expect.objectContaining({ status: 401 })));
    }
  });
});

/** Tests the rate limit of a room, a token bucket, with exact numbers. */

import { describe, expect, it } from 'vitest';
import { RoomBuckets } from '../../../../src/core/pacing/gates.ts';

function setUp(perSecond = 1, burst = 3) {
  const rooms = new RoomBuckets({ perSecond, burst });
  return {
    rooms,
    post(at: number, room = 'r', times = 1) {
      for (let nth = 0; nth < times; nth += 1) {
        rooms.take(room, at);
        rooms.answered(room, at);
      }
    },
  };
}

describe('a room', () => {
  it('accepts its burst of posts at once, then posts at its rate', () => {
    const { rooms, post } = setUp();
    post(0, 'r', 2);
    expect(rooms.wait('r', 0)).toBe(0);
    post(0);
    expect([0, 400, 750, 1_000].map((now) => rooms.wait('r', now))).toEqual([1_000, 600, 250, 0]);
    expect(rooms.politeWait('r', 400)).toBe(600);
    expect(rooms.wait('other', 0)).toBe(0);
  });

  it('refills at its rate, up to its burst', () => {
    const { rooms, post } = setUp(0.3, 2);
    post(0, 'r', 2);
    expect(rooms.wait('r', 0)).toBe(3_334);
    post(100_000, 'r', 2);
    expect(rooms.wait('r', 100_000)).toBe(3_334);
    expect(rooms.wait('r', 103_334)).toBe(0);
  });

  it('counts posts in flight as late as their answers', () => {
    const { rooms } = setUp(1, 1);
    rooms.take('r', 0);
    expect(rooms.wait('r', 0)).toBe(1_000);
    expect(rooms.wait('r', 60_000)).toBe(1_000);
    rooms.answered('r', 60_000);
    expect([60_000, 60_750, 61_000].map((now) => rooms.wait('r', now))).toEqual([1_000, 250, 0]);
  });

  it('regains a slot for a post that was not made', () => {
    const { rooms } = setUp(1, 1);
    rooms.take('r', 0);
    rooms.giveBack('r', 500);
    expect(rooms.wait('r', 500)).toBe(0);
    rooms.take('r', 500);
    expect(rooms.wait('r', 500)).toBe(1_000);
  });

  it('stays closed for the time that the channel names, even if posts in flight are answered', () => {
    const { rooms, post } = setUp();
    rooms.take('r', 0);
    rooms.close('r', 5_000, 0);
    expect(rooms.wait('r', 1_000)).toBe(4_000);
    rooms.answered('r', 1_000);
    expect(rooms.wait('r', 2_000)).toBe(3_000);
    expect(rooms.wait('r', 5_000)).toBe(0);
    post(6_000);
    expect(rooms.wait('r', 6_000)).toBe(0);
  });

  it('is empty after it was closed', () => {
    const { rooms } = setUp(0.1, 3);
    rooms.close('r', 1_000, 0);
    expect(rooms.wait('r', 1_000)).toBe(9_000);
  });

  it('does not stay closed for longer if the clock is set back', () => {
    const { rooms, post } = setUp();
    rooms.close('r', 5_000, 100_000);
    expect(rooms.wait('r', 0)).toBe(5_000);
    post(100_000, 's', 3);
    expect(rooms.wait('s', 0)).toBe(1_000);
  });

  it('is dropped after posts into ten thousand other rooms', () => {
    const { rooms, post } = setUp(0.001, 1);
    post(0, 'first');
    post(0, 'second');
    for (let nth = 0; nth < 9_998; nth += 1) post(0, `r${nth}`);
    expect(rooms.wait('first', 0)).toBe(1_000_000);
    post(0, 'one more');
    expect([rooms.wait('first', 0), rooms.wait('second', 0)]).toEqual([0, 1_000_000]);
  });
});

it('a room that refuses a call still counts the other calls that are not answered', () => {
  const buckets = new RoomBuckets({ perSecond: 1, burst: 3 });
  for (let nth = 0; nth < 2; nth += 1) buckets.take('r', 0);
  buckets.close('r', 500, 0);
  expect(buckets.wait('r', 0)).toBe(3_000);
});

/** Tests the room, which stands for the chat. Remove this file together with the room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Room } from '../room.js';

test('the room shows what the app writes, and refuses calls without the secret', async () => {
  const room = new Room({ target: 'http://127.0.0.1:9', secret: 's' });
  const url = await room.listen();
  const put = (/** @type {string} */ secret) =>
    fetch(`${url}/messages/m1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify({ thread: 't1', text: 'Hello', buttons: [] }),
    });
  try {
    assert.equal((await put('wrong')).status, 401);
    assert.deepEqual(room.in('t1'), []);
    assert.equal((await put('s')).status, 200);
    assert.deepEqual(
      room.in('t1').map(({ text }) => text),
      ['Hello'],
    );
    room.fault = 'rate';
    assert.equal((await put('s')).status, 429);
    assert.equal((await put('s')).status, 200);
  } finally {
    await room.close();
  }
});

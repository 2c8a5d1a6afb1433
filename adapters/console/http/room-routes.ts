/** The routes with which people make and change rooms and conversations. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type express from 'express';
import { cleanName, encodeName } from '../chat/content.ts';
import { exportConversation } from '../chat/export.ts';
import { findRoomFor } from '../lookups.ts';
import { notFound } from '../refusal.ts';
import { actsOn, type Served } from './acts.ts';
import { act, changedRoom, membership, newConversation, newRoom } from './decode.ts';

export function addRoomRoutes(app: express.Express, served: Served): void {
  const { gate, host, roomActs, store } = served;
  const on = actsOn(app, served);
  on('/rooms', newRoom, (body) => roomActs.add(body));
  on('/rooms/:id/change', changedRoom, (body, id) => roomActs.change(id, body));
  on('/rooms/:id/invite', membership, (body, id) => roomActs.invite(id, body));
  on('/rooms/:id/remove', membership, (body, id) => roomActs.remove(id, body));
  on('/rooms/:id/delete', act, (body, id) => roomActs.delete(id, body));
  on('/conversations', newConversation, (body) => roomActs.converse(body));
  app.get('/rooms/:room/export', async (request, response) => {
    const room = findRoomFor(served, request.params.room, gate.viewer(request.headers));
    if (room.kind !== 'direct') throw notFound('Only a conversation with an agent can be exported.');
    const title = (room.title ?? room.opening ?? room.name).replace(/[\\/.]/g, ' ');
    const name = `${cleanName(title, 'text/markdown')}.md`;
    response.set({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const text = exportConversation(
      room,
      (after) => store.messagesAfter(room.id, PAGE, after),
      host.clock.now(),
    );
    await pipeline(Readable.from(text), response);
  });
}

/** Messages that are read at once. */
const PAGE = 100;

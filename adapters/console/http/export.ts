/** The route that exports a conversation. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type express from 'express';
import { cleanName, encodeName } from '../chat/content.ts';
import { exportConversation } from '../chat/export.ts';
import { findRoomFor } from '../lookups.ts';
import { notFound } from '../refusal.ts';
import type { Served } from './acts.ts';

export function addExport(app: express.Express, served: Served): void {
  const { gate, host, store } = served;
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
      (after) => store.rows.messagesAfter(room.id, PAGE, after),
      host.clock.now(),
    );
    await pipeline(Readable.from(text), response);
  });
}

/** Messages that are read at once. */
const PAGE = 100;

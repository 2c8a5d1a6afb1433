/** The HTTP routes that change something. */

import type express from 'express';
import type { Request } from 'express';
import type { z } from 'zod';
import { canonicalLanguage } from '../../../src/kit/ladder.ts';
import { type Bodies, bodies } from '../bodies.ts';
import type { Seal } from '../identity/seal.ts';
import type { Parts } from '../lookups.ts';
import type { Reading } from '../reading.ts';
import type { ReplyActs } from '../reply-acts.ts';
import type { RoomActs } from '../room-acts.ts';
import type { Talk } from '../talk.ts';
import type { Views } from '../wire.ts';
import { readFields } from './decode.ts';
import { checkSpeaker, type Gate } from './gate.ts';
import type { Streams } from './streams.ts';

/** Dependencies of the routes. */
export interface Served extends Parts {
  readonly talk: Talk;
  readonly reading: Reading;
  readonly replyActs: ReplyActs;
  readonly roomActs: RoomActs;
  readonly streams: Streams;
  readonly gate: Gate;
  /** Seals values for cookies. Absent without a sign-in. */
  readonly seal?: Seal | undefined;
}

/** `work` receives the decoded body and the id in the path, and returns the response's body. */
type Work<P extends keyof Views> = (body: Bodies[P], id: string) => Views[P] | Promise<Views[P]>;

const schemas: { readonly [P in keyof Views]: z.ZodType<Bodies[P]> } = bodies;

/** Presses whose path is the name of their action. */
const presses = ['stop', 'instead', 'retry', 'regenerate', 'show', 'feedback'] as const;

/** Adds the routes that act for a person. */
export function addActs(app: express.Express, served: Served): void {
  const { chat, gate, host, talk, reading, replyActs, roomActs } = served;
  const on = <P extends keyof Views>(path: P, work: Work<P>): void => {
    app.post(path, async (request: Request, response) => {
      const body = await readFields(schemas[path], request, host.clock);
      checkSpeaker(gate.viewer(request.headers), body.as);
      const locale = localeOf(request);
      if (locale !== undefined) talk.browsesIn(body.as, locale);
      response.json(await work(body, String(request.params.id ?? '')));
    });
  };
  on('/rooms', (body) => roomActs.add(body));
  on('/rooms/:id/change', (body, id) => roomActs.change(id, body));
  on('/rooms/:id/invite', (body, id) => roomActs.invite(id, body));
  on('/rooms/:id/remove', (body, id) => roomActs.remove(id, body));
  on('/rooms/:id/delete', (body, id) => roomActs.delete(id, body));
  on('/conversations', (body) => roomActs.converse(body));
  on('/rooms/:id/messages', async (body, room) => chat.reader.view(await talk.say(room, body)));
  on('/messages/:id/edit', async (body, id) => chat.reader.view(await talk.edit(id, body)));
  on('/messages/:id/delete', (body, id) => talk.remove(id, body));
  for (const action of presses)
    on(`/replies/:id/${action}`, (body, turn) => replyActs.act(action, turn, body));
  on('/replies/:id/ask', (body, turn) => replyActs.act('agent', turn, body));
  on('/replies/:id/suggest', async (body, turn) =>
    chat.reader.view(await replyActs.say('suggestion', turn, body)),
  );
  on('/replies/:id/ask-me', async (body, turn) => chat.reader.view(await replyActs.say('mine', turn, body)));
  on('/replies/:id/correction', (body, turn) => replyActs.correction(turn, body));
  on('/replies/:id/correct', (body, turn) => replyActs.correct(turn, body));
  on('/unread', ({ as }) => reading.unread(as));
  on('/read', (body) => reading.read(body));
  on('/search', (body) => reading.search(body));
  on('/shares', async (body) => chat.reader.view(await replyActs.share(body)));
}

/** Returns the language that the browser prefers; undefined if the request names none. */
function localeOf(request: Request): string | undefined {
  const [first] = request.acceptsLanguages();
  return first === undefined || first === '*' ? undefined : canonicalLanguage(first);
}

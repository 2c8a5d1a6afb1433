/** The HTTP routes that change something. */

import type express from 'express';
import type { Request } from 'express';
import type { z } from 'zod';
import { type ActionName, canonicalLanguage } from '../../../src/kit.ts';
import type { Seal } from '../identity/seal.ts';
import type { Parts } from '../lookups.ts';
import type { Reading } from '../reading.ts';
import type { ReplyAct, ReplyActs } from '../reply-acts.ts';
import type { RoomActs } from '../room-acts.ts';
import type { Talk } from '../talk.ts';
import type { Act } from '../wire.ts';
import {
  act,
  again,
  askAnother,
  correction,
  judgement,
  newMessage,
  newShare,
  position,
  readFields,
  rewriting,
  searching,
  showing,
  suggestion,
} from './decode.ts';
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

/** Adds a route. `work` receives the decoded body and the id in the path, and returns the response's body. */
export type AddAct = <Body extends Act>(
  path: string,
  schema: z.ZodType<Body>,
  work: (body: Body, id: string) => unknown,
) => void;

export function actsOn(app: express.Express, { gate, host, talk }: Served): AddAct {
  return (path, schema, work) => {
    app.post(path, async (request: Request, response) => {
      const body = await readFields(schema, request, host.clock);
      checkSpeaker(gate.viewer(request.headers), body.as);
      const locale = localeOf(request);
      if (locale !== undefined) talk.browsesIn(body.as, locale);
      response.json(await work(body, String(request.params.id ?? '')));
    });
  };
}

export function addActs(app: express.Express, served: Served): void {
  const { chat, talk, reading, replyActs } = served;
  const on = actsOn(app, served);
  on('/rooms/:id/messages', newMessage, async (body, room) => chat.view(await talk.say(room, body)));
  on('/messages/:id/edit', rewriting, async (body, id) => chat.view(await talk.edit(id, body)));
  on('/messages/:id/delete', act, (body, id) => talk.remove(id, body));
  const presses: readonly (readonly [string, ActionName, z.ZodType<ReplyAct>])[] = [
    ['stop', 'stop', act],
    ['instead', 'instead', act],
    ['retry', 'retry', act],
    ['regenerate', 'regenerate', act],
    ['show', 'show', showing],
    ['ask', 'agent', askAnother],
    ['feedback', 'feedback', judgement],
  ];
  for (const [path, action, schema] of presses)
    on(`/replies/:id/${path}`, schema, (body, turn) => replyActs.act(action, turn, body));
  on('/replies/:id/suggest', suggestion, async (body, turn) =>
    chat.view(await replyActs.say('suggestion', turn, body)),
  );
  on('/replies/:id/ask-me', again, async (body, turn) => chat.view(await replyActs.say('mine', turn, body)));
  on('/replies/:id/correction', act, (body, turn) => replyActs.correction(turn, body));
  on('/replies/:id/correct', correction, (body, turn) => replyActs.correct(turn, body));
  on('/unread', act, ({ as }) => reading.unread(as));
  on('/read', position, (body) => reading.read(body));
  on('/search', searching, (body) => reading.search(body));
  on('/shares', newShare, async (body) => chat.view(await replyActs.share(body)));
}

/** Returns the language that the browser prefers; undefined if the request names none. */
function localeOf(request: Request): string | undefined {
  const [first] = request.acceptsLanguages();
  return first === undefined || first === '*' ? undefined : canonicalLanguage(first);
}

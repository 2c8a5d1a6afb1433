/** The HTTP routes that change something. */

import type express from 'express';
import type { Request } from 'express';
import type { z } from 'zod';
import { canonicalLanguage } from '../../../src/kit/ladder.ts';
import { type Bodies, bodies } from '../bodies.ts';
import type { MessageRecord } from '../chat/records.ts';
import type { ConsolePerson } from '../config.ts';
import type { Seal } from '../identity/seal.ts';
import { findPerson, type Handler, type Parts } from '../lookups.ts';
import { read, search, unread } from '../reading.ts';
import { correct, correction, pressHandler, questionHandler, share } from '../reply-acts.ts';
import { addRoom, changeRoom, converse, deleteConversation, invite, removeMember } from '../room-acts.ts';
import { edit, removeMessage, say } from '../talk.ts';
import type { MessageView, Views } from '../wire.ts';
import { readFields } from './decode.ts';
import { checkSpeaker, type Gate } from './gate.ts';
import type { Streams } from './streams.ts';

/** Dependencies of the routes. */
export interface Served extends Parts {
  readonly streams: Streams;
  readonly gate: Gate;
  /** Seals values for cookies. Absent without a sign-in. */
  readonly seal?: Seal | undefined;
}

const schemas: { readonly [P in keyof Views]: z.ZodType<Bodies[P]> } = bodies;

/** Adds the routes that act for a person. */
export function addActs(app: express.Express, served: Served): void {
  const { gate, host, locales } = served;
  const on = <P extends keyof Views>(path: P, act: Handler<P>): void => {
    app.post(path, async (request: Request, response) => {
      const body = await readFields(schemas[path], request, host.clock);
      checkSpeaker(gate.viewer(request.headers), body.as);
      const person = findPerson(served, body.as);
      const locale = localeOf(request);
      if (locale !== undefined) locales.set(person.id, locale);
      response.json(await act(served, person, body, String(request.params.id ?? '')));
    });
  };
  on('/rooms', addRoom);
  on('/rooms/:id/change', changeRoom);
  on('/rooms/:id/invite', invite);
  on('/rooms/:id/remove', removeMember);
  on('/rooms/:id/delete', deleteConversation);
  on('/conversations', converse);
  on('/rooms/:id/messages', withView(say));
  on('/messages/:id/edit', withView(edit));
  on('/messages/:id/delete', removeMessage);
  for (const action of ['stop', 'instead', 'retry', 'regenerate', 'show', 'feedback'] as const)
    on(`/replies/:id/${action}`, pressHandler(action));
  on('/replies/:id/ask', pressHandler('agent'));
  on('/replies/:id/suggest', withView(questionHandler('suggestion')));
  on('/replies/:id/ask-me', withView(questionHandler('mine')));
  on('/replies/:id/correction', correction);
  on('/replies/:id/correct', correct);
  on('/unread', unread);
  on('/read', read);
  on('/search', search);
  on('/shares', withView(share));
}

/** Returns a handler that responds with the message that `post` posts or changes. */
const withView =
  <Body>(post: (parts: Parts, person: ConsolePerson, body: Body, id: string) => Promise<MessageRecord>) =>
  async (parts: Parts, person: ConsolePerson, body: Body, id: string): Promise<MessageView> =>
    parts.chat.reader.view(await post(parts, person, body, id));

/** Returns the language that the browser prefers; undefined if the request names none. */
function localeOf(request: Request): string | undefined {
  const [first] = request.acceptsLanguages();
  return first === undefined || first === '*' ? undefined : canonicalLanguage(first);
}

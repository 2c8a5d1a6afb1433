/** The routes by which people do something. */

import type express from 'express';
import type { Request, RequestHandler } from 'express';
import { type AdapterHost, canonicalLanguage } from '../../../src/kit.ts';
import type { Chat } from '../chat/chat.ts';
import type { ReplyActs } from '../reply-acts.ts';
import type { Talk } from '../talk.ts';
import {
  type Fields,
  readAct,
  readAgain,
  readAskAnother,
  readJudgement,
  readNewMessage,
  readNewRoom,
  readNewShare,
  readRewriting,
  readShowing,
} from './decode.ts';
import { readFields } from './fields.ts';

export interface ActDeps {
  readonly host: AdapterHost;
  readonly chat: Chat;
  readonly talk: Talk;
  readonly replyActs: ReplyActs;
}

type Work = (fields: Fields, id: string) => unknown;

export function addActs(app: express.Express, deps: ActDeps): void {
  const { host, chat, talk } = deps;
  const on = (path: string, work: Work): void => {
    const handler: RequestHandler = async (request: Request, response) => {
      const fields = await readFields(request, host.clock);
      const locale = localeOf(request);
      if (locale !== undefined) talk.browsesIn(readAct(fields).as, locale);
      response.json(await work(fields, String(request.params.id ?? '')));
    };
    app.post(path, handler);
  };
  on('/rooms', (fields) => {
    const { as, name, topic = '' } = readNewRoom(fields);
    return talk.addRoom(as, name, topic);
  });
  on('/rooms/:id/messages', async (fields, room) => chat.view(await talk.say(room, readNewMessage(fields))));
  on('/messages/:id/edit', async (fields, id) => chat.view(await talk.edit(id, readRewriting(fields))));
  on('/messages/:id/delete', (fields, id) => talk.remove(id, readAct(fields)));
  on('/shares', (fields) => chat.view(talk.share(readNewShare(fields))));
  addReplyActs(on, deps);
}

/** The browser's preferred language; undefined if it names none. */
function localeOf(request: Request): string | undefined {
  const [first] = request.acceptsLanguages();
  return first === undefined || first === '*' ? undefined : canonicalLanguage(first);
}

function addReplyActs(on: (path: string, work: Work) => void, { chat, talk, replyActs }: ActDeps): void {
  on('/replies/:id/stop', (fields, turn) => talk.stop(turn, readAct(fields)));
  on('/replies/:id/retry', (fields, turn) => talk.retry(turn, readAct(fields)));
  on('/replies/:id/regenerate', (fields, turn) => replyActs.regenerate(turn, readAct(fields)));
  on('/replies/:id/show', (fields, turn) => replyActs.show(turn, readShowing(fields)));
  on('/replies/:id/ask', (fields, turn) => replyActs.askAnother(turn, readAskAnother(fields)));
  on('/replies/:id/ask-me', async (fields, turn) =>
    chat.view(await replyActs.askAsMe(turn, readAgain(fields))),
  );
  on('/replies/:id/feedback', (fields, turn) => replyActs.judge(turn, readJudgement(fields)));
}

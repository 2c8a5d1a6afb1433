/** The routes by which people do something. */

import type express from 'express';
import type { Request, RequestHandler } from 'express';
import { type ActionName, type AdapterHost, canonicalLanguage } from '../../../src/kit.ts';
import type { Chat } from '../chat/chat.ts';
import type { ReplyAct, ReplyActs } from '../reply-acts.ts';
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
  readSuggestion,
} from './decode.ts';
import { readFields } from './fields.ts';

interface ActDeps {
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
  addReplyActs(on, deps);
}

/** The browser's preferred language; undefined if it names none. */
function localeOf(request: Request): string | undefined {
  const [first] = request.acceptsLanguages();
  return first === undefined || first === '*' ? undefined : canonicalLanguage(first);
}

function addReplyActs(on: (path: string, work: Work) => void, { chat, replyActs }: ActDeps): void {
  const acts: readonly (readonly [string, ActionName, (fields: Fields) => ReplyAct])[] = [
    ['stop', 'stop', readAct],
    ['retry', 'retry', readAct],
    ['regenerate', 'regenerate', readAct],
    ['show', 'show', readShowing],
    ['ask', 'agent', readAskAnother],
    ['feedback', 'feedback', readJudgement],
  ];
  for (const [path, action, read] of acts)
    on(`/replies/:id/${path}`, (fields, turn) => replyActs.act(action, turn, read(fields)));
  on('/replies/:id/suggest', async (fields, turn) =>
    chat.view(await replyActs.say('suggestion', turn, readSuggestion(fields))),
  );
  on('/replies/:id/ask-me', async (fields, turn) =>
    chat.view(await replyActs.say('mine', turn, readAgain(fields))),
  );
  on('/shares', async (fields) => chat.view(await replyActs.share(readNewShare(fields))));
}

import { z } from 'zod';
import type { Asked } from '../agents/agent.ts';
import { streamBytes, streamType } from '../dialect/stream.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { type Call, param } from '../http/call.ts';
import { asFields, type Fields } from '../http/json.ts';
import { noBody, operations } from '../http/operation.ts';
import { declined, jsonReply, openEnvelope, openReply, Refusal, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { declinedBy, exact, flag, parse, someText, text } from '../http/schema.ts';
import { timeOf } from '../store/ids.ts';
import { openFrames, openRecord } from './open-frames.ts';
import { type ChatDeps, openSession, published } from './parts.ts';
import { referenceList, startTurn, streamReply, withFirst } from './turn.ts';

const question = exact({
  expertCode: someText,
  content: someText,
  stream: flag(false),
  includeThought: flag(false),
  language: z.unknown().transform((value) => asFields(value) ?? {}),
  sessionId: z
    .union([z.string(), z.int().transform(String)], 'must be a string or null')
    .nullish()
    .transform((id) => id ?? undefined),
});
const chatLanguages = exact({ chatLanguage: text });
const systemLanguages = exact({ systemLanguage: text });

/** Expert chat and its references (platform contract, sections 8 and 9). */
export function openChatRoutes(parts: ChatDeps): readonly Route[] {
  const open = operations('open', parts.gatekeeper.openAccount);
  return [
    open('askExpert', 'POST /openapi/chat/expert', noBody, async ({ call, caller }) => {
      const fields = await call.fields();
      return await asDeclined(() => answer(parts, call, caller, fields));
    }),
    open('references', 'GET /openapi/chat/record/{chatRecordId}/reference', noBody, ({ call, caller }) => {
      const id = param(call, 'chatRecordId');
      const found = parts.sessions.sources(id);
      if (found === undefined || found.account !== caller.id)
        throw declined(`The chat record ${id} is unknown.`);
      if (parts.clock.now() - timeOf(id) < parts.options.referencesDelayMs) return openReply([]);
      return openReply(referenceList(found.sources, call.base));
    }),
  ];
}

async function answer(parts: ChatDeps, call: Call, account: SandboxAccount, fields: Fields): Promise<Reply> {
  const wanted = parse(question, fields, declinedBy);
  const { content, stream, includeThought: wantsThoughts, sessionId: id } = wanted;
  const { chatLanguage = '' } = parse(chatLanguages, wanted.language, declinedBy);
  const found = parts.directory.withCode(wanted.expertCode);
  if (found === undefined) throw declined(`The expert ${wanted.expertCode} is unknown.`);
  const agent = published(found);
  const session = openSession(parts, { id, kind: 'open', agent, account, route: 'askExpert' });
  const asked: Asked = {
    agent,
    account,
    question: content,
    images: [],
    history: parts.sessions.turns(session.id),
    chatLanguage,
    // The language of the answer, where it is given, is that of plugin names too (platform contract EXP-7).
    systemLanguage:
      chatLanguage || (parse(systemLanguages, wanted.language, declinedBy).systemLanguage ?? 'en-US'),
    wantsThoughts,
    retrievalOnly: false,
    skipHint: false,
    workspaces: [],
    documents: [],
    base: call.base,
    signal: call.signal,
  };
  const started = startTurn(parts.programOf(agent), asked, session.id, parts.sessions);
  const dialect = { ...parts.options.dialect };
  const { mediaOnLastChunk } = parts.options;
  const pieces = await withFirst(started.pieces);
  const open = { pieces, ids: started.ids, wantsThoughts, mediaOnLastChunk, dialect };
  if (!stream || dialect.stream === 'json') return jsonReply(openEnvelope(await openRecord(open)));
  const type = streamType(dialect.stream);
  return streamReply(type, streamBytes(openFrames(open), dialect.stream), parts.clock, call.signal);
}

/** Wrong parameters are business failures here: HTTP 200 with `success` false (platform contract ERR-4). */
async function asDeclined(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) throw declined(error.message);
    throw error;
  }
}

import type { Asked } from '../agents/agent.ts';
import { required } from '../auth/open-login.ts';
import { streamBytes, streamType } from '../dialect/stream.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { type Call, param } from '../http/call.ts';
import { asFields, type Fields, idText, optionalFlag, optionalText } from '../http/fields.ts';
import { declined, Refusal } from '../http/refusal.ts';
import { jsonReply, openEnvelope, openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { timeOf } from '../store/ids.ts';
import { openFrames, openRecord } from './open-frames.ts';
import { type ChatParts, openSession, published } from './parts.ts';
import { referenceList } from './references.ts';
import { streamReply } from './stream-reply.ts';
import { startTurn, withFirst } from './turn.ts';

/** Expert chat and its references (platform contract, sections 8 and 9). */
export function openChatRoutes(parts: ChatParts): readonly Route[] {
  return [
    {
      id: 'askExpert',
      method: 'POST',
      path: '/openapi/chat/expert',
      face: 'open',
      handle: async (call) => {
        const account = parts.gatekeeper.openAccount(call);
        const fields = await call.fields();
        return await asDeclined(() => answer(parts, call, account, fields));
      },
    },
    {
      id: 'references',
      method: 'GET',
      path: '/openapi/chat/record/{chatRecordId}/reference',
      face: 'open',
      handle: async (call) => {
        const account = parts.gatekeeper.openAccount(call);
        const record = param(call, 'chatRecordId');
        const found = parts.sessions.sources(record);
        if (found === undefined || found.account !== account.id) {
          throw declined(`The chat record ${record} is unknown.`);
        }
        const answeredAt = timeOf(record);
        if (parts.clock.now() - answeredAt < parts.options.referencesDelayMs) return openReply([]);
        return openReply(referenceList(found.sources, call.base));
      },
    },
  ];
}

async function answer(parts: ChatParts, call: Call, account: SandboxAccount, fields: Fields): Promise<Reply> {
  const code = required(fields, 'expertCode');
  const question = required(fields, 'content');
  const wantsStream = optionalFlag(fields, 'stream');
  const wantsThoughts = optionalFlag(fields, 'includeThought');
  const language = asFields(fields.language) ?? {};
  const chatLanguage = optionalText(language, 'chatLanguage') ?? '';
  const found = parts.directory.withCode(code);
  if (found === undefined) throw declined(`The expert ${code} is unknown.`);
  const agent = published(found);
  const session = openSession(parts, {
    id: sessionId(fields),
    kind: 'open',
    agent,
    account,
    route: 'askExpert',
  });
  const asked: Asked = {
    agent,
    account,
    question,
    images: [],
    history: parts.sessions.turns(session.id),
    chatLanguage,
    // The language of the answer, where it is given, is that of plugin names too (platform contract EXP-7).
    systemLanguage: chatLanguage || (optionalText(language, 'systemLanguage') ?? 'en-US'),
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
  if (!wantsStream || dialect.stream === 'json') return jsonReply(openEnvelope(await openRecord(open)));
  const type = streamType(dialect.stream);
  return streamReply(type, streamBytes(openFrames(open), dialect.stream), parts.clock, call.signal);
}

function sessionId(fields: Fields): string | undefined {
  const value = fields.sessionId;
  if (value === undefined || value === null) return undefined;
  const id = idText(value);
  if (id === undefined) throw declined('The parameter sessionId must be a string or null.');
  return id;
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

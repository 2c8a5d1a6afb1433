/** A reply as one message: posted once, then edited. */

import {
  type FamilyLimit,
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Screen,
  type Turn,
} from '../../src/kit.ts';
import { isPlain, type Plain, text } from './json.ts';
import type { Reads } from './receive/reads.ts';
import type { Workspaces } from './receive/workspace.ts';

/** Slack's documented rates: a post a second and conversation, 50 edits a minute, one edit of a message in 3 s. */
export const limits: Readonly<Record<string, FamilyLimit>> = {
  'chat.postMessage': { gapMs: 0, perRoom: { perSecond: 1, burst: 1 } },
  'chat.update': { perMinute: 50, gapMs: 3_000 },
};

/** Slack refuses more in the blocks of a message. */
const LONGEST = 11_000;

export interface WriterParts {
  readonly reads: Reads;
  readonly workspaces: Workspaces;
}

export function createWriter(turn: Turn, parts: WriterParts): ReplyWriter {
  return {
    blank: () => ({ rung: 'edits', parts: [], finished: false }),
    next(screen, document) {
      const [part] = screen.parts;
      if (part?.sure && part.shown?.version === document.version) return [];
      const family = part === undefined ? 'chat.postMessage' : 'chat.update';
      return [{ family, essential: isFinal(document), call: { document, id: part?.id } }];
    },
    after(screen, { call }, outcome, now): Screen {
      const { document, id } = own(call);
      const shownId = outcome.kind === 'done' ? (id ?? outcome.id) : undefined;
      if (shownId === undefined) return screen;
      const { version, rewrites, text: words } = document;
      const shown = { version, rewrites, length: words.length };
      const part = { id: shownId, from: 0, live: false, openedAt: now, sure: true, shown };
      return { ...screen, parts: [part], finished: isFinal(document) };
    },
    perform: (move, signal) => perform(move, turn, { parts, signal }),
    resume: (screen) => ({ ...screen, parts: screen.parts.map((part) => ({ ...part, sure: false })) }),
  };
}

interface Call {
  readonly document: ReplyDocument;
  readonly id?: string | undefined;
}

function own(call: unknown): Call {
  return call as Call;
}

async function perform(
  { family, call }: Move,
  { message: { thread } }: Turn,
  { parts, signal }: { parts: WriterParts; signal: AbortSignal },
): Promise<Outcome> {
  const { document, id } = own(call);
  const workspace = await parts.workspaces.ofTenant(thread.tenant);
  if (workspace === undefined) return { kind: 'refused', why: 'gone' };
  const place: Plain = id === undefined ? { thread_ts: thread.key } : { ts: id };
  const words = shownText(document);
  const args = {
    channel: thread.room,
    text: words.slice(0, 1_000),
    blocks: [{ type: 'markdown', text: words }],
    unfurl_links: false,
    unfurl_media: false,
    ...place,
  };
  try {
    const answer = await parts.reads.call(workspace.token, family, args, signal);
    const ts = isPlain(answer) ? text(answer.ts) : undefined;
    return { kind: 'done', ...(ts !== undefined && { id: ts }) };
  } catch {
    return { kind: 'unknown' };
  }
}

function shownText({ state, text: words, notices }: ReplyDocument): string {
  if (state === 'thinking') return '…';
  const said = [words, ...notices.map((notice) => notice.text)].filter((each) => each !== '').join('\n\n');
  return said.replaceAll('<', '&lt;').slice(0, LONGEST) || '…';
}

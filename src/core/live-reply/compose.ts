/** Applies an agent's events to the reply's document. Pure. */

import { type BridgeError, midwayReason, offersRetry } from '../../errors.ts';
import type { AgentEvent, Remark } from '../agents/agent.ts';
import type { AgentName, TurnId } from '../ids.ts';
import { change, type Media, type Notice, type ReplyDocument, type Source, type Step } from '../reply.ts';
import { words } from '../words.ts';

/**
 * Maximum numbers for one reply. Further steps, media and suggestions are dropped without a notice; text is never
 * dropped.
 */
const MAX_STEPS = 100;

const MAX_MEDIA = 50;

const MAX_SUGGESTIONS = 5;

export function begin(turn: TurnId): ReplyDocument {
  return {
    turn,
    version: 1,
    state: 'thinking',
    text: '',
    rewrites: 0,
    steps: [],
    media: [],
    sources: [],
    suggestions: [],
    notices: [],
    retry: false,
  };
}

/** Sets the agent that answers, its platform account and its platform. */
export function withAgent(
  document: ReplyDocument,
  agent: AgentName,
  account: string | undefined,
  platform?: string,
): ReplyDocument {
  const named = { ...(account !== undefined && { account }), ...(platform !== undefined && { platform }) };
  return change(document, { agent, ...named });
}

/** Ends the document with a text of the bridge. The document names no agent, so it gets no answer buttons. */
export function speak(document: ReplyDocument, text: string, sources: readonly Source[]): ReplyDocument {
  return finish(change(uncast(fold(document, { type: 'text', at: 0, text })), { sources }));
}

function uncast({ agent: _agent, account: _account, ...document }: ReplyDocument): ReplyDocument {
  return document;
}

/** Adds a notice unless the document has one with the same text. */
export function addNotice(document: ReplyDocument, notice: Notice): ReplyDocument {
  if (document.notices.some(({ text }) => text === notice.text)) return document;
  return change(document, { notices: [...document.notices, notice] });
}

/** Returns the document after one event; returns the same object if nothing visible changed. */
export function fold(document: ReplyDocument, event: AgentEvent): ReplyDocument {
  switch (event.type) {
    case 'text':
      return write(document, event.at, event.text);
    case 'step':
      return change(document, { steps: upsertStep(document.steps, event.step) });
    case 'media':
      return change(document, { media: addMedia(document.media, event.media) });
    case 'sources':
      return change(document, { sources: mergeSources(document.sources, event.sources) });
    case 'suggestions':
      return change(document, { suggestions: event.suggestions.slice(0, MAX_SUGGESTIONS) });
    case 'remark':
      return remarkOn(document, event.remark);
    case 'session':
    case 'record':
    case 'end':
      return document;
  }
}

function remarkOn(document: ReplyDocument, remark: Remark): ReplyDocument {
  const remarked = addNotice(document, { tone: 'info', text: words.remarks[remark] });
  return remark === 'end-unmarked' ? change(remarked, { endedWithoutMarker: true }) : remarked;
}

function write(document: ReplyDocument, at: number, text: string): ReplyDocument {
  const appended = at >= document.text.length;
  if (appended && text === '') return document;
  return change(document, {
    state: 'writing',
    text: appended ? document.text + text : document.text.slice(0, at) + text,
    rewrites: appended ? document.rewrites : document.rewrites + 1,
  });
}

function upsertStep(steps: readonly Step[], step: Step): readonly Step[] {
  const known = steps.findIndex(({ id }) => id === step.id);
  if (known >= 0) return steps.with(known, step);
  return steps.length < MAX_STEPS ? [...steps, step] : steps;
}

function addMedia(media: readonly Media[], added: Media): readonly Media[] {
  const known = media.some(({ id }) => id === added.id);
  return known || media.length >= MAX_MEDIA ? media : [...media, added];
}

/** Merges two lists of sources, ordered by first occurrence. For a source in both lists, the newer entry is used. */
export function mergeSources(known: readonly Source[], added: readonly Source[]): readonly Source[] {
  const byKey = new Map(known.map((source) => [source.key, source]));
  for (const source of added) byKey.set(source.key, source);
  return [...byKey.values()];
}

/** Marks running steps as done when the answer ends, so that no step seems to run forever. */
function closeSteps(document: ReplyDocument): readonly Step[] {
  return document.steps.map((step) => (step.state === 'running' ? { ...step, state: 'done' } : step));
}

/** Marks the answer as complete. */
export function finish(document: ReplyDocument): ReplyDocument {
  if (document.state === 'done') return document;
  return change(document, { state: 'done', steps: closeSteps(document) });
}

/** Ends an answer that a person stopped. The text so far is kept. */
export function stop(document: ReplyDocument): ReplyDocument {
  const text = document.text === '' ? words.stoppedBeforeText : words.stopped;
  return change(document, {
    state: 'stopped',
    steps: closeSteps(document),
    notices: [...document.notices, { tone: 'info', text }],
    retry: true,
  });
}

/** Says that the question is kept until the platform is back. */
export function keep(document: ReplyDocument): ReplyDocument {
  return document.postponed ? document : change(document, { meanwhile: words.platformDown, postponed: true });
}

/** Removes the text that `keep` added, because the platform is back. */
export function resume(document: ReplyDocument): ReplyDocument {
  if (!document.postponed) return document;
  const { postponed: _postponed, meanwhile: _meanwhile, ...rest } = document;
  return change(rest, {});
}

/** Says that the question waits until the asker's sign-in is confirmed. */
export function awaitSignIn(document: ReplyDocument): ReplyDocument {
  return change(document, { meanwhile: words.signIn.waiting });
}

/** Removes the text that `awaitSignIn` added. */
export function signInOver(document: ReplyDocument): ReplyDocument {
  if (document.meanwhile !== words.signIn.waiting) return document;
  const { meanwhile: _meanwhile, ...rest } = document;
  return change(rest, {});
}

/** Removes the whole content, because the question was deleted. */
export function withdraw(document: ReplyDocument): ReplyDocument {
  const { turn, version, rewrites } = document;
  return { ...begin(turn), version: version + 1, rewrites: rewrites + 1, state: 'withdrawn' };
}

/**
 * Ends an answer that broke off: `partial` if there is text, `failed` if there is none. Shows the cause, and Retry if
 * asking again may help.
 */
export function breakOff(document: ReplyDocument, error: BridgeError): ReplyDocument {
  const partial = document.text !== '';
  const sentence = partial ? words.brokeOff(midwayReason(error)) : error.tellUser;
  // If the person may not ask the agent, the document names no agent, so it gets no answer buttons.
  return change(error.code === 'access-denied' ? uncast(document) : document, {
    state: partial ? 'partial' : 'failed',
    error: error.code,
    steps: closeSteps(document),
    notices: [
      ...document.notices,
      { tone: partial ? 'warning' : 'error', text: words.withReference(sentence, document.turn) },
    ],
    retry: partial || offersRetry(error.code),
  });
}

/** Ends an answer whose asker lost their account or sign-in. Names no agent, so the reply gets no answer buttons. */
export function lockOut(document: ReplyDocument, why: 'locked-out' | 'not-accepted'): ReplyDocument {
  const partial = document.text !== '';
  const [midway, before] =
    why === 'locked-out'
      ? [words.lockedOut, words.lockedOutBeforeText]
      : [words.notAccepted, words.notAcceptedBeforeText];
  const text = partial ? midway : before;
  return change(uncast(document), {
    state: partial ? 'partial' : 'failed',
    error: 'access-denied',
    steps: closeSteps(document),
    notices: [...document.notices, { tone: partial ? 'warning' : 'error', text }],
    retry: false,
  });
}

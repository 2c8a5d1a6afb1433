/**
 * A channel in memory. It reports what each call really did, unless a test changes the report. A new message is found
 * only by the second look-up.
 */

import { createEmitter, GROWING } from '../../../../src/kit/emission.ts';
import {
  Extent,
  hasWords,
  type LadderCall,
  type LadderResult,
  type OpeningWay,
  REFUSED,
  type StreamSurface,
  type Surface,
} from '../../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../../src/kit.ts';

/**
 * The outcome of a call. `hidden`: performed, but without a response. `lost`: neither performed nor answered.
 * `nameless`: performed, but the response has no id. `busy`: refused for now. `ended`: the channel ended the stream
 * earlier. `odd`: the content is refused in this format. `big`: the text is refused as too large.
 */
export type PlannedOutcome = 'done' | 'hidden' | 'lost' | 'nameless' | 'busy' | 'ended' | 'odd' | 'big';

export interface Shown {
  readonly id: string;
  readonly part: number;
  text: string;
  live: boolean;
  deleted?: true;
}

export interface Memory {
  readonly surface: Surface;
  readonly messages: readonly Shown[];
  /** Calls in order, with their outcomes. */
  readonly calls: readonly string[];
  /** Decides the outcome of the next call. */
  outcome: (call: LadderCall) => PlannedOutcome;
}

/**
 * Characters per message: more than any text of the contract tests needs, because splitting a text could change its
 * Markdown.
 */
const LIMIT = 4_000;
/** Minimum characters to which a refusal shortens a message. */
const LEAST = 500;
/** Number of look-ups that do not find a new message yet. */
const DELAY = 1;

const same = (text: string): string => text;
export const emitter = createEmitter({
  ...{ prose: same, code: same, codeSpan: same, language: same },
  mark: (number) => `[${number}]`,
  image: same,
});

/**
 * Returns the text of a message with this range of the document. Leaves out trailing Markdown whose meaning is still
 * open.
 */
function textOf(
  { text, ...document }: ReplyDocument,
  begin: Parameters<typeof emitter.headOut>[1],
  to?: number,
): string {
  const ended = to !== undefined || isFinal({ text, ...document });
  const { out, state } = emitter.emit(text.slice(0, to), begin, { ended });
  return emitter.headOut(text, begin) + out + (ended ? emitter.closing(state) : '');
}

const stream: StreamSurface = {
  maxMs: 60_000,
  afterwards: 'rotate',
  appendsMeanwhile: true,
  start: ({ text }, begin, to) => ({ state: emitter.emit(text.slice(0, to), begin, GROWING).state }),
  hasNews: ({ text }, { emitted }, to) =>
    emitter.emit(text.slice(0, to), emitted.state, { ended: to !== undefined }).out !== '',
  advance: ({ text }, { emitted }, to) => ({
    state: emitter.emit(text.slice(0, to), emitted.state, { ended: to !== undefined }).state,
  }),
};

/** @param ways ways to show a reply, best first */
export function createMemory(ways: readonly ('stream' | 'edits' | 'once')[]): Memory {
  const messages: Shown[] = [];
  const calls: string[] = [];
  const looks = new Map<number, number>();
  const extent = new Extent(emitter);

  const land = (call: LadderCall): LadderResult => {
    const { document } = call;
    const known =
      'part' in call ? messages.find(({ id, deleted }) => id === call.part.id && !deleted) : undefined;
    const make = (part: number, text: string, live: boolean): LadderResult => {
      const id = `m${messages.length + 1}`;
      messages.push({ id, part, text, live });
      return { kind: 'done', id };
    };
    switch (call.kind) {
      case 'start': {
        const index = call.screen.parts.length;
        const { out } = emitter.emit(document.text.slice(0, call.to), call.begin, GROWING);
        return make(index, emitter.headOut(document.text, call.begin) + out, true);
      }
      case 'post':
        return make(call.index, textOf(document, call.begin, call.to), false);
      case 'find': {
        const seen = looks.get(call.index) ?? 0;
        looks.set(call.index, seen + 1);
        const found = messages.find(
          ({ id, part, deleted }) =>
            (part === call.index || call.lost.stray) && !deleted && !call.known.includes(id),
        );
        if (found === undefined || seen < DELAY) return { kind: 'done' };
        return found.live ? { kind: 'done', id: found.id, live: true } : { kind: 'done', id: found.id };
      }
      default:
        return known === undefined ? { kind: 'refused', why: 'gone' } : change(call, known);
    }
  };

  const surface: Surface = {
    families: {
      ...{ start: 'start', append: 'append', stop: 'stop', post: 'post' },
      ...{ update: 'update', delete: 'delete', find: 'find' },
    },
    emitter,
    stream,
    search: { misses: 3, failures: Number.POSITIVE_INFINITY, always: true },
    leastChars: LEAST,
    blank: () => ({ rung: 'once', parts: [], finished: false, form: 'rich', chars: LIMIT }),
    resumed: (screen) => screen,
    ways({ screen, document }, begin): readonly OpeningWay[] {
      if (!hasWords(emitter, document.text, begin)) return [];
      const to = emitter.settledEdge(document.text, begin)?.at;
      return ways.flatMap((kind): readonly OpeningWay[] => {
        if (kind === 'once') return to === undefined ? [] : [{ kind, to }];
        return kind === 'stream' && screen.streamless ? [] : [{ kind }];
      });
    },
    cut: ({ document, screen }, message) => extent.cut(document, message, screen.chars ?? LIMIT)?.to,
    editableKey: (_, part) => part.looks,
    simpler: (form) => (form === 'rich' ? 'plain' : undefined),
    ownCalls: () => [],
    afterOwn: (screen) => screen,
    afterGone: (screen) => ({ ...screen, parts: [], finished: true, gone: true }),
    async perform(call: LadderCall) {
      const outcome = memory.outcome(call);
      calls.push(`${call.kind} ${outcome}`);
      if (outcome === 'lost') return { kind: 'unknown' };
      if (outcome === 'busy') return { kind: 'refused', why: 'busy' };
      if (outcome === 'odd') return { kind: 'refused', why: 'invalid' };
      if (outcome === 'big') return { kind: 'refused', why: 'invalid', detail: REFUSED.tooBig };
      if (outcome === 'ended') for (const each of messages) each.live = false;
      const result = land(call);
      if (outcome === 'hidden') return { kind: 'unknown' };
      return outcome === 'nameless' && result.kind === 'done' ? { kind: 'done' } : result;
    },
  };
  const memory: Memory = { surface, messages, calls, outcome: () => 'done' };
  return {
    ...memory,
    get outcome() {
      return memory.outcome;
    },
    set outcome(next) {
      memory.outcome = next;
    },
  };
}

type Change = Extract<LadderCall, { kind: 'append' | 'stop' | 'update' | 'delete' }>;

function change(call: Change, message: Shown): LadderResult {
  const { document, part } = call;
  const over = { kind: 'refused', why: 'not-live', detail: REFUSED.over } as const;
  const stillLive = { kind: 'refused', why: 'not-live', detail: REFUSED.stillLive } as const;
  switch (call.kind) {
    case 'append':
    case 'stop': {
      if (!message.live) return over;
      const isRest = part.emitted !== undefined && !(call.kind === 'stop' && call.why === 'repair');
      const ended = call.to !== undefined || isFinal(document);
      const added = isRest
        ? emitter.emit(document.text.slice(0, call.to), part.emitted.state, { ended })
        : undefined;
      message.text += added?.out ?? '';
      if (call.kind === 'append') return { kind: 'done' };
      message.text += added === undefined ? '' : emitter.closing(added.state);
      message.live = false;
      return { kind: 'done' };
    }
    case 'update':
      if (message.live) return stillLive;
      message.text = textOf(document, part.begin, call.to);
      return { kind: 'done' };
    case 'delete':
      if (message.live) return stillLive;
      message.deleted = true;
      return { kind: 'done' };
  }
}

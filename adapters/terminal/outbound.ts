import {
  isFinal,
  type Move,
  PRESS_RETRY,
  type ReplyDocument,
  type ReplyWriter,
  type Screen,
} from '../../src/kit.ts';

const blank: Screen = { rung: 'edits', parts: [], finished: false };

/** Prints each state of a reply. Printing cannot fail, so the screen only remembers which state was printed last. */
export function createWriter(show: (document: ReplyDocument) => void): ReplyWriter {
  return {
    blank: () => blank,
    next(screen, document) {
      // What was printed cannot be taken back, and nobody edits a question in a terminal.
      if (document.state === 'withdrawn') return [];
      const [part] = screen.parts;
      if (part === undefined ? screen.finished : part.shown?.version === document.version) return [];
      return [{ family: 'print', essential: isFinal(document), call: { document } }];
    },
    after(screen, move, outcome, now) {
      if (outcome.kind === 'refused' && outcome.why === 'gone') return { ...blank, finished: true };
      const document = printed(move);
      return document === undefined || outcome.kind !== 'done' ? screen : showing(document, now);
    },
    async perform(move) {
      const document = printed(move);
      if (document === undefined) return { kind: 'refused', why: 'gone' };
      show(withoutButtons(document));
      return { kind: 'done' };
    },
    // Another process's terminal is gone: everything is printed anew.
    resume: () => blank,
  };
}

const ASK_AGAIN = 'To retry, ask the question again.';

/** A terminal has no buttons, so its notices say what to do instead. */
function withoutButtons(document: ReplyDocument): ReplyDocument {
  const notices = document.notices.map((notice) => ({
    ...notice,
    text: notice.text.replace(PRESS_RETRY, ASK_AGAIN),
  }));
  return { ...document, notices };
}

function showing(document: ReplyDocument, now: number): Screen {
  const { version, rewrites, text } = document;
  const shown = { version, rewrites, length: text.length };
  const part = { id: 'terminal', from: 0, live: false, openedAt: now, sure: true, shown };
  return { ...blank, parts: [part], finished: isFinal(document) };
}

/** A move's call is opaque to the core; this writer gets back only its own. */
function printed({ call }: Move): ReplyDocument | undefined {
  return isOwn(call) ? call.document : undefined;
}

function isOwn(call: unknown): call is { readonly document: ReplyDocument } {
  return typeof call === 'object' && call !== null && 'document' in call;
}

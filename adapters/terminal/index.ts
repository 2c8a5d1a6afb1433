/** The channel for `parley ask` and `parley chat`: one person at a terminal, in the same process as the bridge. */

import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
  type AgentName,
  type Asking,
  agentName,
  PRESS_RETRY,
  readAgent,
  type ShowReply,
  type TerminalChannel,
} from '../../src/kit/ladder.ts';
import {
  type AdapterHost,
  BridgeError,
  documentWriter,
  type FileRef,
  type Outcome,
  type Person,
  type ReplyDocument,
  type ReplyWriter,
  type ThreadRef,
} from '../../src/kit.ts';

const person: Person = { id: 'terminal', name: 'Terminal', standing: 'member' };

/** Name of the bridge. A question may mention it before the agent's name. */
const BRIDGE = 'parley';

/** Minimum time between two prints of a growing answer, in milliseconds. People do not notice a shorter delay. */
const PRINT_GAP_MS = 50;
/** Pause between two checks of whether the turn has ended, in milliseconds. */
const SETTLED_CHECK_MS = 20;

export function createTerminal(show: ShowReply): TerminalChannel {
  let host: AdapterHost | undefined;
  const started = (): AdapterHost => {
    if (host === undefined) throw new BridgeError('internal', 'The terminal was used before it was started.');
    return host;
  };
  return {
    adapter: {
      name: 'terminal',
      limits: { print: { gapMs: PRINT_GAP_MS } },
      abilities: {},
      async start(given) {
        host = given;
      },
      async stop() {
        host = undefined;
      },
      writer: (turn) => createWriter((document) => show(turn.id, document)),
      openFile: readWhole,
    },
    ask: (asking) => {
      const { clock, agents, intake } = started();
      const named = withNamedAgent(
        asking,
        agents().map(({ name }) => name),
      );
      return intake({ kind: 'ask', ...messageOf(named, clock.now()) });
    },
    stop: (thread) => started().intake({ kind: 'stop', thread: placeOf(thread), by: person }),
    async settled(turn) {
      const { clock, pending } = started();
      while (await pending(turn)) await clock.wait(SETTLED_CHECK_MS);
    },
    receipt: (turn) => started().receipt(turn),
  };
}

/** Returns a writer that prints a reply as it grows. Printing cannot fail, and what is printed cannot be removed. */
function createWriter(show: (document: ReplyDocument) => void): ReplyWriter {
  const print = (document: ReplyDocument): Outcome => {
    show(withoutButtons(document));
    return { kind: 'done', id: 'terminal' };
  };
  return documentWriter({ family: 'print', post: print, edit: ({ document }) => print(document) });
}

const ASK_AGAIN = 'To retry, ask the question again.';

/** Replaces "press Retry" in notices by what to type, because a terminal has no buttons. */
function withoutButtons(document: ReplyDocument): ReplyDocument {
  const notices = document.notices.map((notice) => ({
    ...notice,
    text: notice.text.replace(PRESS_RETRY, ASK_AGAIN),
  }));
  return { ...document, notices };
}

/**
 * Takes the agent from the beginning of the question, in the same ways as in a room: `@agent question`, `@parley agent:
 * question`, `agent: question`.
 */
function withNamedAgent(asking: Asking, agents: readonly AgentName[]): Asking {
  const input = asking.text.trimStart();
  const first = readAgent(input, agents, [BRIDGE]);
  const { agent, text } =
    first.agent === undefined ? readAgent(input.replace(/^@[\w.-]+[,:]?\s+/, ''), agents) : first;
  return agent === undefined ? asking : { ...asking, agent: agentName(agent), text };
}

function messageOf({ text, thread, agent, images }: Asking, sentAt: number) {
  const id = randomUUID();
  const files = images.map(({ path, name, bytes }): FileRef => ({ id: path, name, bytes, type: '' }));
  return {
    origin: { kind: 'message', key: id, revision: 0 } as const,
    message: {
      id,
      thread: placeOf(thread),
      sender: person,
      text,
      ...(agent !== undefined && { agent }),
      quoted: [],
      files,
      sentAt,
      revision: 0,
    },
  };
}

/**
 * Returns the thread of a conversation. Each conversation is a room of its own, so that `use` affects only that
 * conversation.
 */
function placeOf(key: string): ThreadRef {
  return { channel: 'terminal', tenant: 'local', room: key, key, kind: 'direct' };
}

/** Reads a file whose id is its path. That is safe, because only the person at the terminal names files. */
async function readWhole(file: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const handle = await open(file.id);
  try {
    const { size } = await handle.stat();
    if (size > limit)
      throw new BridgeError('image-refused', `${file.id} has ${size} bytes; ${limit} are allowed.`);
    return await handle.readFile({ signal });
  } finally {
    await handle.close();
  }
}

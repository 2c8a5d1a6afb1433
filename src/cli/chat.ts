import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline/promises';
import { systemClock } from '../clock.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import { createPrinter } from './answer/printer.ts';
import { standardOutput } from './answer/styled-writer.ts';
import type { CommandDeps } from './channels.ts';
import { type Conversation, withConversation } from './conversation.ts';
import { listenForInterrupts } from './own-process.ts';

interface ChatOptions {
  readonly agent?: string;
  readonly thread?: string;
  readonly config?: string;
}

const LEAVE = /^\/?(exit|quit|bye)$/i;

/** Runs a conversation. Ctrl-C stops the running answer or, if none runs, ends the command. */
export function chat(options: ChatOptions, deps: CommandDeps): Promise<number> {
  return withConversation(deps, options.config, async (conversation) => {
    const { agent, thread = randomUUID() } = options;
    if (agent !== undefined) checkAgent(agent, conversation);
    const lines = openLines();
    // Lines that arrive before this call are lost, so it comes before the first wait.
    const given = lines[Symbol.asyncIterator]();
    // Piped input may end while answers are still being printed, so do not end the command yet.
    let open = true;
    lines.once('close', () => {
      open = false;
    });
    const talk: Talk = { conversation, thread, asking: false };
    const forget = leaveOrStop(talk, lines);
    console.log('Type "help" to list the commands, "exit" to leave.\n');
    if (agent !== undefined) await say(`use ${agent}`, talk);
    if (open) lines.prompt();
    for await (const line of given) {
      if (LEAVE.test(line.trim())) break;
      if (line.trim() !== '') await say(line, talk);
      if (open) lines.prompt();
    }
    forget();
    lines.close();
    return 0;
  });
}

/** Opens standard input line by line. Without a terminal, there is no prompt, because it would stand among the answers. */
function openLines(): Interface {
  const { stdin: input, stdout: output } = process;
  return createInterface(input.isTTY ? { input, output, prompt: 'you> ' } : { input });
}

function checkAgent(name: string, { config: { agents } }: Conversation): void {
  if (Object.hasOwn(agents, name.toLowerCase())) return;
  const known = Object.keys(agents).join(', ');
  throw new BridgeError('agent-unknown', `There is no agent called "${name}" here. Known agents: ${known}.`);
}

interface Talk {
  readonly conversation: Conversation;
  readonly thread: string;
  /** True while an answer is being printed. */
  asking: boolean;
}

/** Handles Ctrl-C. On a terminal, the line editor receives Ctrl-C; otherwise, the process receives it. */
function leaveOrStop(talk: Talk, lines: Interface): () => void {
  const interrupts = listenForInterrupts(systemClock);
  let stopping = false;
  const press = (): void => {
    if (!talk.asking || stopping) {
      lines.close();
      return;
    }
    stopping = true;
    talk.conversation
      .stop(talk.thread)
      .catch((thrown) => console.error(asBridgeError(thrown).tellUser))
      .finally(() => {
        stopping = false;
      });
  };
  interrupts.onPress(press);
  lines.on('SIGINT', press);
  return interrupts.dispose;
}

async function say(text: string, talk: Talk): Promise<void> {
  const { conversation, thread } = talk;
  const printer = createPrinter(standardOutput(), (line) => process.stdout.write(`${line}\n`));
  talk.asking = true;
  try {
    const document = await conversation.ask({ text, thread, images: [] }, printer.print);
    printer.end(document, await conversation.media(document));
    process.stdout.write('\n');
  } catch (thrown) {
    const error = asBridgeError(thrown);
    console.error(error.code === 'usage' ? error.message : error.tellUser);
  } finally {
    talk.asking = false;
  }
}

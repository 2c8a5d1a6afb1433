import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { agentName } from '../core/ids.ts';
import type { ReplyDocument } from '../core/reply.ts';
import { exitCode, usage } from '../errors.ts';
import { numberSources } from '../kit/ladder.ts';
import { numbersOf, renumberedText } from '../kit/sources.ts';
import type { Asking, TerminalFile } from '../kit/terminal.ts';
import { sourceTitle } from '../kit.ts';
import type { Found } from './answer/ending.ts';
import { createPrinter } from './answer/printer.ts';
import { standardOutput } from './answer/styled-writer.ts';
import type { CommandDeps } from './channels.ts';
import { type Conversation, type PlatformIds, withConversation } from './conversation.ts';
import { listenForInterrupts } from './own-process.ts';
import { note } from './platform/output.ts';
import { jsonText } from './print.ts';

interface AskOptions {
  readonly agent?: string;
  /** Paths or addresses of images; absent if no image was given. */
  readonly image?: readonly string[];
  readonly thread?: string;
  readonly json?: true;
  readonly config?: string;
}

/** Exit code after Ctrl-C, as shells use it. No code of sysexits has this value. */
const INTERRUPTED = 130;

/** A question with this value is read from standard input instead. */
const STANDARD_INPUT = '-';
/** Maximum bytes of a question from standard input. No agent accepts more. */
const QUESTION_BYTES = 1024 * 1024;

/**
 * Asks one question; `-` reads it from standard input. Resolves with the exit code: 0 if the question was answered, 1
 * if the answer was stopped or may be incomplete, the error's code if the answer failed or was interrupted.
 */
export async function ask(
  options: AskOptions,
  deps: CommandDeps,
  [question]: readonly [string],
): Promise<number> {
  const asking: Asking = {
    text: question === STANDARD_INPUT ? await readQuestion(process.stdin) : question,
    thread: options.thread ?? randomUUID(),
    images: await Promise.all((options.image ?? []).map(describe)),
    ...(options.agent !== undefined && { agent: agentName(options.agent) }),
  };
  return withConversation(deps, options.config, async (conversation) => {
    const forget = stopOnInterrupt(conversation, asking.thread);
    try {
      const document = await askAndPrint(conversation, asking, options);
      return endedWith(document);
    } finally {
      forget();
    }
  });
}

function endedWith({ state, error, endedWithoutMarker }: ReplyDocument): number {
  if (error !== undefined) return exitCode(error);
  return state === 'done' && endedWithoutMarker !== true ? 0 : 1;
}

/** Reads the question from standard input. Throws `usage` if it is longer than `QUESTION_BYTES`. */
async function readQuestion(input: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > QUESTION_BYTES) {
      throw usage(`Standard input has more than ${QUESTION_BYTES} bytes. Shorten it.`);
    }
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}

async function describe(path: string): Promise<TerminalFile> {
  const full = resolve(path);
  const found = await stat(full).catch(() => undefined);
  if (found?.isFile()) return { path: full, name: basename(full), bytes: found.size };
  throw usage(`There is no file ${path}. Give the path of an image.`);
}

/** Handles Ctrl-C: the first press stops the answer and keeps its text so far; the second ends the command. */
function stopOnInterrupt(conversation: Conversation, thread: string): () => void {
  const interrupts = listenForInterrupts(systemClock);
  let pressed = false;
  interrupts.onPress(() => {
    if (pressed) process.exit(INTERRUPTED);
    pressed = true;
    conversation.stop(thread).catch(() => process.exit(INTERRUPTED));
  });
  return interrupts.dispose;
}

async function askAndPrint(
  conversation: Conversation,
  asking: Asking,
  { json }: AskOptions,
): Promise<ReplyDocument> {
  const printer = createPrinter(standardOutput(), (line) => process.stderr.write(`${line}\n`));
  const living = (reply: ReplyDocument) => withoutDeadLinks(reply, conversation.temporary);
  const show = json ? () => undefined : (partial: ReplyDocument) => printer.print(living(partial));
  const document = living(await conversation.ask(asking, show));
  const media = await conversation.media(document);
  const { trouble, ...ids } = await conversation.idsOf(document.turn);
  if (json) console.log(jsonText(asJson(document, { ...ids, media, thread: asking.thread })));
  else printer.end(document, media);
  if (document.error !== undefined && trouble !== undefined) note(trouble);
  return document;
}

/**
 * Removes links into a sandbox that ends with this command. Its images are then saved as files.
 * @param sandbox its address; undefined if it outlives the command
 */
function withoutDeadLinks(document: ReplyDocument, sandbox: string | undefined): ReplyDocument {
  if (sandbox === undefined) return document;
  const lives = (link: string | undefined): link is string =>
    link !== undefined && !link.startsWith(`${sandbox}/`);
  return {
    ...document,
    text: document.text.replace(/\[([^\]]*)\]\((http[^)\s]*)\)/g, (whole, label: string, link: string) =>
      lives(link) ? whole : label,
    ),
    media: document.media.map(({ link, ...media }) => (lives(link) ? { ...media, link } : media)),
    sources: document.sources.map(({ link, ...source }) => (lives(link) ? { ...source, link } : source)),
  };
}

interface Beside extends Omit<PlatformIds, 'trouble'> {
  readonly media: readonly Found[];
  readonly thread: string;
}

/**
 * `state` is done, partial, stopped or failed. `session` and `thread` are ids with which a later command continues the
 * conversation.
 */
function asJson(document: ReplyDocument, { media, session, chatRecord, thread }: Beside): object {
  const { state, agent, suggestions, notices, turn } = document;
  const list = numberSources(document.text, document.sources);
  const steps = document.steps.map(({ id: _, ...step }) => step);
  const sources = list.map(({ number, source }) => {
    const { kind, score, link, fragments } = source;
    return { number, title: sourceTitle(source, number), kind, score, link, fragments };
  });
  return {
    state,
    text: renumberedText(document.text, numbersOf(list)),
    endedWithoutMarker: document.endedWithoutMarker ?? false,
    agent,
    session: session ?? null,
    chatRecordId: chatRecord ?? null,
    thread,
    turn,
    sources,
    media,
    suggestions,
    steps,
    notices,
  };
}

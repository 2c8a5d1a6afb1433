/** Writes a conversation as Markdown without HTML. Pure. */

import { safeDestination } from '../../../src/kit/ladder.ts';
import { viewSources } from '../sources-view.ts';
import type { RoomView, SourceView } from '../wire.ts';
import type { MessageRecord, ReplyRecord } from './records.ts';
import { isOpen } from './reply-record.ts';

type Read = (after: string | undefined) => Promise<readonly MessageRecord[]>;

/** Yields the conversation in pieces. `read` returns the messages after the message with this id. */
export async function* exportConversation(room: RoomView, read: Read, now: number): AsyncGenerator<string> {
  const { title, opening, name } = room;
  yield `# ${escaped(title ?? opening ?? name)}\n\nConversation with ${escaped(name)}, exported ${timeOf(now)}\n`;
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1)?.id))
    for (const message of page) yield messageText(message);
}

function messageText({ author, at, text, files, reply, shared }: MessageRecord): string {
  const sources = reply ? viewSources(reply.sources, reply.text) : sharedSources(shared);
  const parts = [
    `## ${escaped(author.name)}, ${timeOf(at)}`,
    withoutHtml(reply?.text ?? shared?.answer?.text ?? text, sources),
    ...(reply ? endOf(reply) : []),
    [...files, ...(reply?.media ?? [])]
      .map((file) => `- ${linked(file.name, 'link' in file ? file.link : '')}`)
      .join('\n'),
    sources.length > 0 ? ['Sources:', '', ...sources.map(sourceLine)].join('\n') : '',
  ];
  return `\n${parts.filter((part) => part.trim() !== '').join('\n\n')}\n`;
}

const sharedSources = (shared: MessageRecord['shared']): readonly SourceView[] =>
  shared?.source ? [shared.source] : (shared?.answer?.sources ?? []);

/** Returns the notices of an answer, and whether it is complete. */
function endOf(reply: ReplyRecord): readonly string[] {
  const growing = isOpen(reply) ? ['This answer was not complete when it was exported.'] : [];
  return [...reply.notices.map(({ text }) => text), ...growing].map((note) => `*${escaped(note)}*`);
}

const sourceLine = ({ number, title, link }: SourceView): string => `${number}. ${linked(title, link)}`;

function linked(label: string, link = ''): string {
  const to = safeDestination(link)?.href;
  return to === undefined ? escaped(label) : `[${escaped(label)}](<${to}>)`;
}

/** Returns a text of one line in which no character has a meaning in Markdown or HTML. */
const escaped = (line: string): string => line.replace(/\s+/g, ' ').replace(/[\\`*_~[\]<>#|&!]/g, '\\$&');

/** Returns the time in UTC, such as "2026-05-04 13:05 UTC". */
const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Matches, within a line: an escaped character, code, other backticks, the number of a source, the address of a link
 * (if no code can begin in it), and `<` or another `](`.
 */
const TOKEN =
  /\\.|(`+)(?!`)[^|]*?(?<!`)\1(?!`)|(`+)|\[(\d{1,4})\](?![(:])|\]\((?:[^\s()<`\\]|\([^\s()<`\\]*\))*(?: "[^"<`\\]*")?\)|<|\]\(/g;

/**
 * Escapes what may be HTML outside code, and closes a code block that is open at the end. CommonMark must see no other
 * code than this function: so code in a line ends in that line and in its table cell, and blocks begin without indent.
 */
export function withoutHtml(markdown: string, sources: readonly SourceView[]): string {
  const sourceOf = (written: number) =>
    sources.find(({ mark, marks, number }) => (marks ?? [mark ?? number]).includes(written));
  let fence = '';
  const lines = markdown.split(/\r\n|[\r\n]/).map((line) => {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && rest.trim() === '') fence = '';
      return line;
    }
    if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = mark;
      return mark + (/^ *[\w+#.-]*/.exec(rest)?.[0] ?? '');
    }
    return line.replace(TOKEN, (token, _code, ticks, digits) => {
      if (ticks !== undefined) return ticks.replaceAll('`', '\\`');
      if (digits !== undefined) return `[${sourceOf(Number(digits))?.number ?? digits}]`;
      if (token === '](') return ']\\(';
      return token === '<' ? '\\<' : token;
    });
  });
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n');
}

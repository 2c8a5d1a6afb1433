/**
 * Finds all active content of a message: mentions, links, images.
 * https://docs.slack.dev/messaging/formatting-message-text: `<…>` is markup in text and mrkdwn. It was seen to be
 * markup in Markdown too. plain_text and code of rich text are inert.
 */

import { isJson } from '../args.ts';
import type { Json, Message } from '../shapes.ts';

export interface LiveControl {
  readonly kind: 'mention' | 'link' | 'image';
  /** A user, group or channel id, a group mention such as `!here`, or a link's address. */
  readonly target: string;
  readonly label?: string;
  /** JSON pointer to the field that contains it. */
  readonly at: string;
}

/** Returns all active content of a payload: a message of the fake, or the arguments of a call. */
export function liveControls(payload: Message | Json): readonly LiveControl[] {
  const { link_names: linkNames, parse } = payload as Json;
  const {
    text,
    markdown,
    markdown_text: markdownText,
    blocks,
    attachments,
    chunks,
    tasks,
    view,
    planTitle,
  } = payload as Json;
  return [
    ...controlMarkup(text, '/text'),
    ...bareLinks(text, '/text'),
    ...(linkNames === true || parse === 'full' ? namesIn(text, '/text') : []),
    ...inMarkdown(markdown, '/markdown'),
    ...inMarkdown(markdownText, '/markdown_text'),
    ...inMarkdown(planTitle, '/plan'),
    ...inList(blocks, '/blocks'),
    ...inList(attachments, '/attachments'),
    ...inList(chunks, '/chunks'),
    ...inList(tasks, '/tasks'),
    ...(isJson(view) ? inList(view.blocks, '/view/blocks') : []),
  ];
}

const inList = (value: unknown, at: string): readonly LiveControl[] =>
  Array.isArray(value) ? value.flatMap((item: unknown, index) => inNode(item, `${at}/${index}`)) : [];

/** Names of fields that Slack shows as they are, without interpreting markup. */
const INERT = new Set([
  'type',
  'block_id',
  'action_id',
  'value',
  'id',
  'task_id',
  'status',
  'alt_text',
  'style',
  'emoji',
  'verbatim',
  'language',
  'callback_id',
  'private_metadata',
  'event_type',
  'name',
]);

function inNode(value: unknown, at: string): readonly LiveControl[] {
  if (Array.isArray(value)) return inList(value, at);
  if (!isJson(value)) return [];
  const own = ofType(value, at);
  if (own !== undefined) return own;
  return Object.entries(value).flatMap(([name, inner]) => {
    if (INERT.has(name)) return [];
    const where = `${at}/${name}`;
    if (name === 'image_url' || name === 'thumb_url' || name === 'icon_url')
      return typeof inner === 'string' ? [{ kind: 'image' as const, target: inner, at: where }] : [];
    if (name === 'url' || name === 'title_link' || name === 'author_link' || name === 'video_url')
      return typeof inner === 'string' ? [{ kind: 'link' as const, target: inner, at: where }] : [];
    if (typeof inner === 'string') return [...controlMarkup(inner, where), ...bareLinks(inner, where)];
    return inNode(inner, where);
  });
}

/** Returns the active content of a node whose type decides the format of its text; undefined for other nodes. */
function ofType(node: Json, at: string): readonly LiveControl[] | undefined {
  const { type, text } = node;
  if (type === 'plain_text' || type === 'raw_text' || type === 'raw_number') return [];
  if (type === 'mrkdwn') return [...controlMarkup(text, `${at}/text`), ...bareLinks(text, `${at}/text`)];
  if (type === 'markdown' || type === 'markdown_text') return inMarkdown(text, `${at}/text`);
  if (type === 'text') return [];
  if (type === 'link')
    return [{ kind: 'link', target: String(node.url), label: String(text ?? node.url), at }];
  if (type === 'user') return [{ kind: 'mention', target: String(node.user_id), at }];
  if (type === 'usergroup') return [{ kind: 'mention', target: String(node.usergroup_id), at }];
  if (type === 'broadcast') return [{ kind: 'mention', target: `!${String(node.range)}`, at }];
  if (type === 'channel') return [{ kind: 'mention', target: String(node.channel_id), at }];
  return undefined;
}

const CONTROL = /<([^<>\n]+)>/g;
const MENTION = /^(@[UWB][A-Z0-9]{2,}|#[CGD][A-Z0-9]{2,}|!.+)$/;
const ADDRESS = /^(https?|mailto|tel|ftp|file|slack|javascript|data|vbscript):/i;

/** Finds markup in angle brackets: `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…>`, `<address|label>`. */
export function controlMarkup(value: unknown, at: string): readonly LiveControl[] {
  if (typeof value !== 'string') return [];
  return [...value.matchAll(CONTROL)].flatMap((match) => control(match[1] ?? '', at));
}

function control(inner: string, at: string): readonly LiveControl[] {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? {} : { label: inner.slice(bar + 1) };
  if (MENTION.test(target)) return [{ kind: 'mention', target: target.replace(/^[@#]/, ''), ...label, at }];
  return ADDRESS.test(target) ? [{ kind: 'link', target, ...label, at }] : [];
}

/** Finds plain names such as `@name`, which `link_names` and `parse: full` turn into mentions. */
function namesIn(value: unknown, at: string): readonly LiveControl[] {
  if (typeof value !== 'string') return [];
  return [...value.matchAll(/(?<![\w<])[@#]([\w.-]+)/g)].map(([, name = '']) => ({
    kind: 'mention',
    target: name,
    at,
  }));
}

const BARE = /\bhttps?:\/\/[^\s<>|]+/gi;

/** Finds plain addresses, which Slack turns into links (`parse`, `verbatim: false`). */
function bareLinks(value: unknown, at: string): readonly LiveControl[] {
  if (typeof value !== 'string') return [];
  const outside = value.replace(CONTROL, ' ');
  return [...outside.matchAll(BARE)].map(([target]) => ({ kind: 'link' as const, target, at }));
}

const IMAGE = /!\[([^\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const LINK = /(?<!!)\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
/** Matches a definition of a link. An escaped bracket does not end its label (CommonMark 0.31.2, 4.7). */
const REFERENCE = /^ {0,3}\[((?:[^\]\\]|\\.)+)\]:\s*<?(\S+?)>?(\s|$)/gm;
const HTML_IMAGE = /<img\b[^>]*\bsrc\s*=\s*["']?([^"'\s>]+)/gi;

/**
 * Finds active content in standard Markdown. Code disables Markdown's own syntax, but not `<…>`, which Slack parses
 * before Markdown.
 */
function inMarkdown(value: unknown, at: string): readonly LiveControl[] {
  if (typeof value !== 'string') return [];
  const plain = withoutCode(value);
  const found = (pattern: RegExp, kind: LiveControl['kind'], target: number, label?: number) =>
    [...plain.matchAll(pattern)]
      .filter(({ index }) => !escaped(plain, index))
      .map((match) => ({
        kind,
        target: match[target] ?? '',
        ...(label === undefined ? {} : { label: match[label] ?? '' }),
        at,
      }));
  return [
    ...controlMarkup(value, at),
    ...found(IMAGE, 'image', 2, 1),
    ...found(HTML_IMAGE, 'image', 1),
    ...found(LINK, 'link', 2, 1),
    ...found(REFERENCE, 'link', 2, 1),
    ...bareLinks(plain.replace(IMAGE, ' ').replace(LINK, ' ').replace(REFERENCE, ' '), at),
  ];
}

function escaped(text: string, index: number): boolean {
  let slashes = 0;
  while (text[index - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/**
 * Matches a fenced code block. Its opening line contains no further backticks (CommonMark 0.31.2, 4.5). A line with
 * further backticks opens inline code instead.
 */
const FENCED = /^ {0,3}(`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n[\s\S]*?(^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;
/**
 * Matches inline code. An escaped backtick does not open inline code (CommonMark 0.31.2, 2.4). Inside inline code, a
 * backslash is text.
 */
const CODE_SPAN = /(?<!`|(?<!\\)(?:\\\\)*\\)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;

const withoutCode = (text: string): string => text.replace(FENCED, ' ').replace(CODE_SPAN, ' ');

/** Returns the links that Slack would unfurl; text links are off by default, media links are on. */
export function unfurlsOf(
  message: Message,
  links: boolean | undefined,
  media: boolean | undefined,
): readonly string[] {
  if (links === false && media === false) return [];
  return liveControls(message)
    .filter(({ kind, target }) => kind === 'link' && /^https?:/i.test(target))
    .map(({ target }) => target);
}

/**
 * Converts typed text as Slack's composer does: to a rich_text block, and to `text` in Slack's own markup. Supports
 * paragraphs, `- ` and `1. ` lists, `> ` quotes, fences, `code`, **bold**, _italic_, ~~struck~~, `[label](url)`, bare
 * addresses, mail addresses, `<@U…>`, `<#C…>`, `<!here>` and `:emoji:`. A mail address becomes a link with the address
 * as its label, as Slack's composer makes it (docs.slack.dev, "Formatting message text", mail links).
 */

import type { Json } from '../shapes.ts';

export interface Typed {
  readonly text: string;
  readonly blocks: readonly Json[];
}

export function typed(source: string, blockId: string): Typed {
  const parts = partsOf(source);
  return {
    text: parts.map(markupOf).join('\n'),
    blocks: [{ type: 'rich_text', block_id: blockId, elements: parts.map(elementOf) }],
  };
}

type Part =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote' | 'paragraph'; readonly text: string }
  | { readonly kind: 'bullet' | 'ordered'; readonly items: readonly string[] };

const kindOf = (line: string): Part['kind'] => {
  if (/^[-*•] /.test(line)) return 'bullet';
  if (/^\d+[.)] /.test(line)) return 'ordered';
  return line.startsWith('> ') ? 'quote' : 'paragraph';
};

const bare = (line: string): string => line.replace(/^([-*•] |\d+[.)] |> )/, '');

function partsOf(source: string): readonly Part[] {
  const pieces = source.split(/^```[^\n]*\n([\s\S]*?)\n?```$/m);
  return pieces.flatMap((piece, index): readonly Part[] =>
    index % 2 === 1 ? [{ kind: 'code', text: piece }] : linesOf(piece),
  );
}

function linesOf(piece: string): readonly Part[] {
  const lines = piece.replace(/^\n|\n$/g, '').split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const runs: { kind: Part['kind']; lines: string[] }[] = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(bare(line));
    else runs.push({ kind, lines: [bare(line)] });
  }
  return runs.map((run): Part => {
    if (run.kind === 'bullet' || run.kind === 'ordered') return { kind: run.kind, items: run.lines };
    return { kind: run.kind === 'quote' ? 'quote' : 'paragraph', text: run.lines.join('\n') };
  });
}

function elementOf(part: Part): Json {
  if (part.kind === 'code')
    return { type: 'rich_text_preformatted', elements: [{ type: 'text', text: part.text }], border: 0 };
  if (part.kind === 'bullet' || part.kind === 'ordered')
    return {
      type: 'rich_text_list',
      style: part.kind,
      indent: 0,
      border: 0,
      elements: part.items.map((item) => ({ type: 'rich_text_section', elements: leaves(item) })),
    };
  const type = part.kind === 'quote' ? 'rich_text_quote' : 'rich_text_section';
  return { type, elements: leaves('text' in part ? part.text : '') };
}

const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<!\w)_([^_\n]+)_(?!\w)|~~([^~\n]+)~~|\[([^\]\n]+)\]\((https?:[^)\s]+)\)|<@([UW]\w+)>|<#(C\w+)(?:\|[^>]*)?>|<!(here|channel|everyone)>|(https?:\/\/[^\s<>]+)|:([a-z0-9_+-]+):|([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/g;

function leaves(text: string): readonly Json[] {
  const found: Json[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) found.push({ type: 'text', text: text.slice(end, match.index) });
    found.push(leaf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ type: 'text', text: text.slice(end) });
  return found;
}

function leaf(match: RegExpExecArray): Json {
  const [whole, code, bold, italic, struck, label, address, user, channel, range, url, emoji, mail] = match;
  if (code !== undefined) return { type: 'text', text: code, style: { code: true } };
  if (bold !== undefined) return { type: 'text', text: bold, style: { bold: true } };
  if (italic !== undefined) return { type: 'text', text: italic, style: { italic: true } };
  if (struck !== undefined) return { type: 'text', text: struck, style: { strike: true } };
  if (label !== undefined) return { type: 'link', url: address, text: label };
  if (user !== undefined) return { type: 'user', user_id: user };
  if (channel !== undefined) return { type: 'channel', channel_id: channel };
  if (range !== undefined) return { type: 'broadcast', range };
  if (url !== undefined) return { type: 'link', url };
  if (mail !== undefined) return { type: 'link', url: `mailto:${mail}`, text: mail };
  return emoji === undefined ? { type: 'text', text: whole } : { type: 'emoji', name: emoji };
}

function markupOf(part: Part): string {
  if (part.kind === 'code') return `\`\`\`${escaped(part.text)}\`\`\``;
  if (part.kind === 'bullet') return part.items.map((item) => `• ${markup(item)}`).join('\n');
  if (part.kind === 'ordered')
    return part.items.map((item, index) => `${index + 1}. ${markup(item)}`).join('\n');
  const lines = markup('text' in part ? part.text : '');
  return part.kind === 'quote' ? lines.replace(/^/gm, '&gt; ') : lines;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const markup = (text: string): string => leaves(text).map(markupOfLeaf).join('');

function markupOfLeaf(each: Json): string {
  const { type, text, style, url, user_id: user, channel_id: channel, range, name } = each;
  if (type === 'user') return `<@${String(user)}>`;
  if (type === 'channel') return `<#${String(channel)}>`;
  if (type === 'broadcast') return `<!${String(range)}>`;
  if (type === 'link')
    return text === undefined ? `<${String(url)}>` : `<${String(url)}|${escaped(String(text))}>`;
  if (type === 'emoji') return `:${String(name)}:`;
  const said = escaped(String(text));
  const mark = Object.keys((style as Json | undefined) ?? {})[0];
  const around = { code: '`', bold: '*', italic: '_', strike: '~' }[mark ?? ''] ?? '';
  return `${around}${said}${around}`;
}

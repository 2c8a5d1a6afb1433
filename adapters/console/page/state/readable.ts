import {
  type Block,
  type Cell,
  type Inline,
  parse,
  plainBlocks,
  plainInline,
  safeDestination,
} from '../../../../src/kit.ts';
import type { ReplyView, SourceView } from '../../wire.ts';

/** Returns the numbers that the answer's text uses for a source. */
export const viewMarks = ({ mark, marks, number }: SourceView): readonly number[] =>
  marks ?? [mark ?? number];

/**
 * Returns an answer as plain text: without Markdown, with the address after each link, and with the sources at the end.
 */
export function readable({ text, sources }: Pick<ReplyView, 'text' | 'sources'>): string {
  const numbers = new Map(
    sources.flatMap((source) => viewMarks(source).map((mark) => [mark, source.number] as const)),
  );
  const words = plainBlocks(
    parse(text).map((block) => readableBlock(block, numbers)),
    '\n\n',
  );
  return sources.length === 0 ? words : `${words}\n\nSources\n${sources.map(sourceLine).join('\n')}`;
}

function sourceLine({ number, title, link }: SourceView): string {
  const address = link === undefined ? undefined : safeDestination(link)?.href;
  return `[${number}] ${title}${address === undefined ? '' : `: ${address}`}`;
}

type Numbers = ReadonlyMap<number, number>;

function readableBlock(block: Block, numbers: Numbers): Block {
  const cell = (inlines: Cell): Cell => inlines.map((inline) => readableInline(inline, numbers));
  const blocks = (all: readonly Block[]) => all.map((one) => readableBlock(one, numbers));
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return { ...block, children: cell(block.children) };
    case 'quote':
      return { ...block, children: blocks(block.children) };
    case 'list':
      return { ...block, items: block.items.map((item) => ({ ...item, children: blocks(item.children) })) };
    case 'table':
      return { ...block, head: block.head.map(cell), rows: block.rows.map((row) => row.map(cell)) };
    default:
      return block;
  }
}

const MARK = /\[(\d{1,4})\]/g;

function readableInline(inline: Inline, numbers: Numbers): Inline {
  switch (inline.kind) {
    case 'text': {
      const text = inline.text.replace(MARK, (mark, digits) => {
        const number = numbers.get(Number(digits));
        return number === undefined ? mark : `[${number}]`;
      });
      return { kind: 'text', text };
    }
    case 'link':
      return { kind: 'text', text: linkWords(plainInline(inline.children), inline.destination) };
    case 'strong':
    case 'emphasis':
    case 'strike':
      return { ...inline, children: inline.children.map((one) => readableInline(one, numbers)) };
    default:
      return inline;
  }
}

function linkWords(label: string, destination: string): string {
  const address = safeDestination(destination)?.href;
  if (address === undefined || address.replace(/\/$/, '').endsWith(label.replace(/\/$/, ''))) return label;
  return `${label} (${address})`;
}

import { optionalPackage } from '../optional-package.ts';
import type { Block } from './chunk.ts';

/** Readers of file types, by extension. A large parser is loaded only when the first file of its type is read. */
const READERS: Readonly<Record<string, (bytes: Buffer) => Promise<readonly Block[]>>> = {
  md: async (bytes) => readMarkdown(textOf(bytes)),
  markdown: async (bytes) => readMarkdown(textOf(bytes)),
  txt: async (bytes) => readMarkdown(textOf(bytes)),
  html: readHtmlFile,
  htm: readHtmlFile,
  pdf: readPdf,
  docx: readDocx,
};

export const isReadable = (extension: string): boolean => Object.hasOwn(READERS, extension);

/** Returns the blocks of a file. If it cannot be read, throws an error that says why. */
export async function readBlocks(extension: string, bytes: Buffer): Promise<readonly Block[]> {
  const reader = isReadable(extension) ? READERS[extension] : undefined;
  if (reader === undefined) {
    throw new Error(`Files ${extension === '' ? 'without a type' : `of type ${extension}`} are not read.`);
  }
  const blocks = await reader(bytes);
  if (blocks.every((block) => block.kind === 'image')) throw new Error('The file holds no text.');
  return blocks;
}

/** Returns why a file could not be read, as a sentence. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The file cannot be read.';

function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 8_000).includes(0)) throw new Error('The file is not text.');
  return bytes.toString('utf8');
}

async function readHtmlFile(bytes: Buffer): Promise<readonly Block[]> {
  const { readHtml } = await import('./html.ts');
  return readHtml(textOf(bytes));
}

async function readPdf(bytes: Buffer): Promise<readonly Block[]> {
  const { extractText, getDocumentProxy } = await optionalPackage('unpdf', () => import('unpdf'));
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  const pages: readonly string[] = Array.isArray(text) ? text : [text];
  return pages.flatMap((page, index) => [
    { kind: 'heading', level: 2, text: `Page ${index + 1}` } as const,
    ...readMarkdown(page),
  ]);
}

async function readDocx(bytes: Buffer): Promise<readonly Block[]> {
  const { default: mammoth } = await optionalPackage('mammoth', () => import('mammoth'));
  const { value } = await mammoth.convertToHtml({ buffer: bytes });
  const { readHtml } = await import('./html.ts');
  return readHtml(value);
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^(```|~~~)/;
const LIST = /^\s*([-*+]|\d+[.)])\s+/;
const TABLE = /^\s*\|.*\|\s*$/;
const IMAGE_LINE = /^\s*!\[([^\]]*)\]\(\s*<?([^)>\s]+)>?(?:\s+"[^"]*")?\s*\)\s*$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;

/** Reads Markdown. Plain text is read as Markdown too. */
export function readMarkdown(text: string): readonly Block[] {
  const lines = withoutPreamble(text).split(/\r\n|\r|\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || RULE.test(line)) {
      at += 1;
      continue;
    }
    const { block, next } = readBlock(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

interface Step {
  readonly block: Block;
  readonly next: number;
}

function readBlock(lines: readonly string[], at: number): Step {
  const line = lines[at] ?? '';
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const [, marks = '', text = ''] = heading;
    return { block: { kind: 'heading', level: marks.length, text: plainInline(text) }, next: at + 1 };
  }
  const image = IMAGE_LINE.exec(line);
  if (image !== null)
    return { block: { kind: 'image', alt: image[1] ?? '', source: image[2] ?? '' }, next: at + 1 };
  if (FENCE.test(line)) return readFence(lines, at);
  if (TABLE.test(line)) return readWhile(lines, at, 'table', (next) => TABLE.test(next));
  if (LIST.test(line))
    return readWhile(lines, at, 'list', (next) => LIST.test(next) || /^\s{2,}\S/.test(next));
  return readWhile(lines, at, 'paragraph', isParagraphText);
}

const isParagraphText = (line: string): boolean =>
  line.trim() !== '' && ![HEADING, FENCE, TABLE, LIST, IMAGE_LINE].some((mark) => mark.test(line));

function readWhile(
  lines: readonly string[],
  from: number,
  kind: 'paragraph' | 'list' | 'table',
  belongs: (line: string) => boolean,
): Step {
  let next = from + 1;
  while (next < lines.length && belongs(lines[next] ?? '')) next += 1;
  const text = lines.slice(from, next).map(inline).join('\n');
  return { block: { kind, text: kind === 'paragraph' ? text.replace(/^>\s?/gm, '') : text }, next };
}

function readFence(lines: readonly string[], from: number): Step {
  const mark = (lines[from] ?? '').slice(0, 3);
  let next = from + 1;
  while (next < lines.length && !(lines[next] ?? '').startsWith(mark)) next += 1;
  return { block: { kind: 'code', text: lines.slice(from, next + 1).join('\n') }, next: next + 1 };
}

/**
 * Replaces links to other files by their labels, because such links would not work in an answer. Links to the web stay.
 */
function inline(line: string): string {
  return line.replace(
    /(!?)\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g,
    (whole, mark: string, label: string, target: string) =>
      mark === '' && /^https?:/.test(target) ? whole : label,
  );
}

const plainInline = (text: string): string => inline(text).replace(/[*_`]/g, '');

/** Removes front matter and HTML comments, which are meant for tools and not for readers. */
const withoutPreamble = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '');

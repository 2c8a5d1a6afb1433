import type { Block } from './chunk.ts';
import { readMarkdown } from './markdown.ts';

/** Extensions that can be read, with how. Heavy readers are loaded when the first such file comes. */
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

/** The blocks of a file. Throws with a reason when it cannot be read. */
export async function readBlocks(extension: string, bytes: Buffer): Promise<readonly Block[]> {
  const reader = isReadable(extension) ? READERS[extension] : undefined;
  if (reader === undefined) {
    throw new Error(`Files ${extension === '' ? 'without a type' : `of type ${extension}`} are not read.`);
  }
  const blocks = await reader(bytes);
  if (blocks.every((block) => block.kind === 'image')) throw new Error('The file holds no text.');
  return blocks;
}

function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 8_000).includes(0)) throw new Error('The file is not text.');
  return bytes.toString('utf8');
}

async function readHtmlFile(bytes: Buffer): Promise<readonly Block[]> {
  const { readHtml } = await import('./html.ts');
  return readHtml(textOf(bytes));
}

async function readPdf(bytes: Buffer): Promise<readonly Block[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  const pages: readonly string[] = Array.isArray(text) ? text : [text];
  return pages.flatMap((page, index) => [
    { kind: 'heading', level: 2, text: `Page ${index + 1}` } as const,
    ...readMarkdown(page),
  ]);
}

async function readDocx(bytes: Buffer): Promise<readonly Block[]> {
  const { default: mammoth } = await import('mammoth');
  const { value } = await mammoth.convertToHtml({ buffer: bytes });
  const { readHtml } = await import('./html.ts');
  return readHtml(value);
}

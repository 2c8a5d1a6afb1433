import { DomUtils, ElementType, parseDocument } from 'htmlparser2';
import type { Block } from './chunk.ts';

type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];
type Node = Element['children'][number];

const SKIPPED = /^(?:script|style|head|nav|noscript|template|svg)$/;
/** Matches elements that begin and end a paragraph. */
const PARAGRAPH =
  /^(?:p|div|section|article|blockquote|dd|dt|figcaption|figure|body|main|br|li|h[1-6]|pre|[uo]l|table|img)$/;

/** Reads HTML into blocks: headings, paragraphs, lists, tables, code and images. */
export function readHtml(html: string): readonly Block[] {
  const blocks: Block[] = [];
  let text = '';
  const flush = () => {
    if (text.trim() !== '') blocks.push({ kind: 'paragraph', text: oneLine(text) });
    text = '';
  };
  const walk = (node: Node): void => {
    if (node.type === ElementType.Text) text += node.data;
    if (!isElement(node) || SKIPPED.test(node.name)) return;
    const isParagraph = PARAGRAPH.test(node.name);
    if (isParagraph) flush();
    const found = blocksOf(node);
    if (found === undefined) node.children.forEach(walk);
    else blocks.push(...found.filter((block) => block.kind === 'image' || block.text.trim() !== ''));
    if (isParagraph) flush();
  };
  parseDocument(html).children.forEach(walk);
  flush();
  return blocks;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Returns the blocks of an element, with its images; undefined for an element that only contains other ones. */
function blocksOf(element: Element): readonly Block[] | undefined {
  const { name } = element;
  if (name === 'img') return imageOf(element);
  if (/^h[1-6]$/.test(name)) {
    const text = wordsIn(element.children);
    return [{ kind: 'heading', level: Number(name.slice(1)), text }, ...imagesIn(element)];
  }
  if (name === 'pre') {
    const code = DomUtils.innerText(element);
    const text = code.trim() === '' ? '' : `\`\`\`\n${code}\n\`\`\``;
    return [{ kind: 'code', text }, ...imagesIn(element)];
  }
  if (isList(element)) return [...imagesIn(element), { kind: 'list', text: linesOf(element).join('\n') }];
  return name === 'table' ? [...imagesIn(element), { kind: 'table', text: tableOf(element) }] : undefined;
}

const imagesIn = (element: Element) => DomUtils.getElementsByTagName('img', element).flatMap(imageOf);

function imageOf({ attribs: { src = '', alt = '' } }: Element): readonly Block[] {
  return src === '' ? [] : [{ kind: 'image', alt, source: src }];
}

const isElement = (node: Node): node is Element => 'attribs' in node;

const isList = (node: Node): node is Element => isElement(node) && /^[ou]l$/.test(node.name);

/** Returns the words of the nodes in one line. */
function wordsIn(nodes: readonly Node[]): string {
  const textOf = (node: Node): string => {
    if (node.type === ElementType.Text) return node.data;
    if (!isElement(node) || SKIPPED.test(node.name)) return '';
    const text = node.children.map(textOf).join('');
    return PARAGRAPH.test(node.name) ? ` ${text} ` : text;
  };
  return oneLine(nodes.map(textOf).join(''));
}

/** Returns the lines of a list. Those of an inner list, which some programs write beside its item, are indented. */
function linesOf(list: Element): readonly string[] {
  let number = 0;
  const inside = (nodes: readonly Node[]) =>
    nodes.filter(isList).flatMap((inner) => linesOf(inner).map((line) => `  ${line}`));
  return list.children.flatMap((node) => {
    if (!isElement(node) || node.name !== 'li') return inside([node]);
    number += 1;
    const text = wordsIn(node.children.filter((child) => !isList(child)));
    const mark = list.name === 'ol' ? `${number}.` : '-';
    return [...(text === '' ? [] : [`${mark} ${text}`]), ...inside(node.children)];
  });
}

function tableOf(table: Element): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head, ...rows] = DomUtils.getElementsByTagName('tr', table).map(({ children }) =>
    children
      .filter((cell) => isElement(cell) && /^t[hd]$/.test(cell.name))
      .map((cell) => wordsIn([cell]).replaceAll('|', '/')),
  );
  return head === undefined ? '' : [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

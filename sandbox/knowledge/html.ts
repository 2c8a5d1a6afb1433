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
    const text = oneLine(DomUtils.innerText(element));
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

/** Returns the lines of a list. Those of a list inside an item are indented. */
function linesOf(list: Element): readonly string[] {
  const items = DomUtils.getElementsByTagName('li', list.children, false);
  return items.flatMap(({ children }, at) => {
    const text = oneLine(DomUtils.innerText(children.filter((child) => !isList(child))));
    const mark = list.name === 'ol' ? `${at + 1}.` : '-';
    const inner = children.filter(isList).flatMap(linesOf);
    return [...(text === '' ? [] : [`${mark} ${text}`]), ...inner.map((line) => `  ${line}`)];
  });
}

function tableOf(table: Element): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head, ...rows] = DomUtils.getElementsByTagName('tr', table).map(({ children }) =>
    children
      .filter((cell) => isElement(cell) && /^t[hd]$/.test(cell.name))
      .map((cell) => oneLine(DomUtils.innerText(cell)).replaceAll('|', '/')),
  );
  return head === undefined ? '' : [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

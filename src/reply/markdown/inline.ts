import type { Inline } from './blocks.ts';
import { formulaOf, type Token } from './grammar.ts';

interface Frame {
  readonly opened?: Token;
  readonly children: Inline[];
}

const wrappers = { strong_close: 'strong', em_close: 'emphasis', s_close: 'strike' } as const;

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

function titleOf(token: Token): { title?: string } {
  const title = attribute(token, 'title');
  return title === '' ? {} : { title };
}

function imageOf(token: Token): Inline {
  const alt = plainInline(readInline(token.children ?? []));
  return { kind: 'image', destination: attribute(token, 'src'), ...titleOf(token), alt };
}

function leafOf(token: Token): Inline | undefined {
  switch (token.type) {
    case 'code_inline':
      return { kind: 'code', text: token.content, ...formulaOf(token) };
    case 'image':
      return imageOf(token);
    case 'softbreak':
      return { kind: 'break', hard: false };
    case 'hardbreak':
      return { kind: 'break', hard: true };
    default:
      return token.content === '' ? undefined : { kind: 'text', text: token.content };
  }
}

function closed(token: Token, frame: Frame): Inline {
  const { opened, children } = frame;
  if (opened !== undefined && token.type === 'link_close') {
    return { kind: 'link', destination: attribute(opened, 'href'), ...titleOf(opened), children };
  }
  const kind = wrappers[token.type as keyof typeof wrappers];
  return { kind, children };
}

function add(children: Inline[], inline: Inline): void {
  const last = children.at(-1);
  if (inline.kind === 'text' && last?.kind === 'text') {
    children[children.length - 1] = { kind: 'text', text: last.text + inline.text };
  } else children.push(inline);
}

/**
 * Maximum nesting of inline styles. Text that is nested deeper gets the style of the text around it, so that the
 * nesting stays small enough for every renderer.
 */
const DEEPEST = 50;

/** Converts the parser's flat list of inline tokens into trees. Neighbouring texts are joined. */
export function readInline(tokens: readonly Token[]): readonly Inline[] {
  const frames: Frame[] = [{ children: [] }];
  for (const token of tokens) {
    if (token.nesting === 1) {
      const { children = [] } = frames.at(-1) ?? {};
      const isDeep = frames.length > DEEPEST && token.type !== 'link_open';
      frames.push(isDeep ? { children } : { opened: token, children: [] });
      continue;
    }
    const frame = token.nesting === -1 ? frames.pop() : undefined;
    if (frame !== undefined && frame.opened === undefined) continue;
    const inline = frame === undefined ? leafOf(token) : closed(token, frame);
    if (inline !== undefined) add(frames.at(-1)?.children ?? [], inline);
  }
  return frames[0]?.children ?? [];
}

/** Text that is shown for an image without an alternative text. */
export const IMAGE_WORDS = 'image';

/**
 * True if the text is only the number by which the platform identifies an image or file (platform contract CHL-18,
 * MED-6).
 * @param destination address of the image or link that has this text
 */
export function isMediaId(words: string, destination: string): boolean {
  const id = /^\s*(?:file_id:)?(\d{4,})\s*$/.exec(words)?.[1];
  return id !== undefined && destination.includes(id);
}

/**
 * Returns the text that is shown for an image: never blank, and never a platform's id, which means nothing to people.
 */
export function imageWords(alt: string, destination: string): string {
  return alt.trim() === '' || isMediaId(alt, destination) ? IMAGE_WORDS : alt;
}

/** Returns the readable text: images as their alternative text, breaks as line ends or spaces. */
export function plainInline(inlines: readonly Inline[]): string {
  return inlines.map(plainOf).join('');
}

/** True if the link's text is its address. */
export function showsAddress({ children, destination }: Extract<Inline, { kind: 'link' }>): boolean {
  const name = plainInline(children);
  return [name, `mailto:${name}`, `http://${name}`, `https://${name}`].includes(destination);
}

function plainOf(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
    case 'code':
      return inline.text;
    case 'break':
      return inline.hard ? '\n' : ' ';
    case 'image':
      return imageWords(inline.alt, inline.destination);
    default:
      return plainInline(inline.children);
  }
}

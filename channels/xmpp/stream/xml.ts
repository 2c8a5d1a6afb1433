/** XML of XMPP streams: elements as plain data, their text form, and a parser with limits. */

import sax from 'sax';

export interface Element {
  readonly name: string;
  /** Namespace; in a stream of a client it is `jabber:client` for stanzas. */
  readonly ns: string;
  readonly attrs: Readonly<Record<string, string | undefined>>;
  readonly children: readonly (Element | string)[];
}

/** A child to write; undefined children are left out. */
export type Child = Element | string | undefined;

/** Returns an element of the namespace `ns`. Attributes that are undefined are left out of its XML. */
export const element = (
  name: string,
  ns: string,
  attrs: Element['attrs'] = {},
  ...children: readonly Child[]
): Element => ({ name, ns, attrs, children: children.filter((child) => child !== undefined) });

export const elementsOf = (parent: Element | undefined): readonly Element[] =>
  (parent?.children ?? []).filter((child) => typeof child !== 'string');

/** Returns the child elements with this name and namespace; none without a parent. */
export const childrenOf = (parent: Element | undefined, name: string, ns: string): readonly Element[] =>
  elementsOf(parent).filter((child) => child.name === name && child.ns === ns);

export const childOf = (parent: Element | undefined, name: string, ns: string): Element | undefined =>
  childrenOf(parent, name, ns)[0];

/** Returns the text directly in the element. */
export const textOf = ({ children }: Element): string =>
  children.filter((child) => typeof child === 'string').join('');

/** Returns the text of a child, by default in its parent's namespace; undefined without such a child. */
export function childText(
  parent: Element | undefined,
  name: string,
  ns = parent?.ns ?? '',
): string | undefined {
  const child = childOf(parent, name, ns);
  return child && textOf(child);
}

/**
 * Matches characters that XML 1.0 cannot contain. A server closes the stream of a client that sends one (RFC 6120,
 * section 4.9.3.13, "not-well-formed").
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(illegal, '\uFFFD')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Returns the element as XML. `outer` is the namespace that is in force around it. */
export function toXml({ name, ns, attrs, children }: Element, outer = 'jabber:client'): string {
  const space = ns === outer ? {} : { xmlns: ns };
  const given = Object.entries({ ...space, ...attrs }).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escaped(value)}"`,
  );
  const inner = children.map((child) => (typeof child === 'string' ? escaped(child) : toXml(child, ns)));
  const head = `<${name}${given.join('')}`;
  return inner.length === 0 ? `${head}/>` : `${head}>${inner.join('')}</${name}>`;
}

/** Maximum characters of one stanza. Servers allow 256 KiB by default (prosody `c2s_stanza_size_limit`). */
const STANZA_CHARS = 1_048_576;
/** Characters that are parsed between two checks of the stanza's size. */
const PIECE_CHARS = 65_536;
/** Maximum depth of nested elements in a stanza. */
const DEPTH = 64;

/**
 * Creates the parser of one stream. XMPP forbids comments, processing instructions and document types (RFC 6120,
 * section 11.1), so an entity bomb ends the stream before anything of it is expanded.
 * @param found called with each whole element directly below the stream's root
 * @param closed called when the server has closed its stream
 * @returns a function that parses the next characters. It throws if the XML is malformed, restricted or too large.
 */
export function createStreamParser(found: (element: Element) => void, closed: () => void) {
  const parser = sax.parser(true, { xmlns: true, position: false });
  /** The elements that are open, outermost first: the stream's root, the stanza, and what is in it. */
  const open: (Element & { children: (Element | string)[] })[] = [];
  let chars = 0;
  const refuse = (what: string): never => {
    throw new Error(`The stream contains ${what}.`);
  };
  parser.onerror = (error) => {
    throw error;
  };
  parser.ondoctype = () => refuse('a document type');
  parser.oncomment = () => refuse('a comment');
  parser.onprocessinginstruction = ({ name }) => void (name === 'xml' || refuse('a processing instruction'));
  parser.onopentag = (tag) => {
    if (open.length > DEPTH) refuse('too many nested elements');
    const { local, uri, attributes } = tag as sax.QualifiedTag;
    const attrs: Record<string, string> = Object.create(null);
    for (const { name, value } of Object.values(attributes))
      if (!name.startsWith('xmlns')) attrs[name] = value;
    open.push({ name: local, ns: uri, attrs, children: [] });
  };
  parser.ontext = (text) => {
    // Servers send blanks between stanzas to keep the connection open.
    if (open.length > 1) open.at(-1)?.children.push(text);
    else chars = 0;
  };
  parser.oncdata = parser.ontext;
  parser.onclosetag = () => {
    const done = open.pop();
    const parent = open.at(-1);
    if (done === undefined || parent === undefined) return closed();
    if (open.length > 1) return void parent.children.push(done);
    chars = 0;
    found(done);
  };
  return (text: string): void => {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      const piece = text.slice(at, at + PIECE_CHARS);
      chars += piece.length;
      parser.write(piece);
      if (chars > STANZA_CHARS && open.length > 1) refuse(`a stanza of more than ${STANZA_CHARS} characters`);
    }
  };
}

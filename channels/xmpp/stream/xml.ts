/** XML of XMPP streams: elements as plain data, their text form, and a parser with limits. */

import sax from 'sax';

export interface Element {
  readonly name: string;
  /** Namespace; in a stream of a client it is `jabber:client` for stanzas. */
  readonly ns: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

export type Child = Element | string | undefined;

/** Returns an element of the namespace `ns`. Attributes and children that are undefined are left out. */
export function element(
  name: string,
  ns: string,
  attrs: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): Element {
  const given = Object.entries(attrs).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    name,
    ns,
    attrs: Object.fromEntries(given),
    children: children.filter((child): child is Element | string => child !== undefined && child !== ''),
  };
}

const isElement = (child: Element | string): child is Element => typeof child !== 'string';

/** Returns the child elements with this name and namespace. */
export const childrenOf = ({ children }: Element, name: string, ns: string): readonly Element[] =>
  children.filter(isElement).filter((child) => child.name === name && child.ns === ns);

export const childOf = (parent: Element, name: string, ns: string): Element | undefined =>
  childrenOf(parent, name, ns)[0];

export const elementsOf = ({ children }: Element): readonly Element[] => children.filter(isElement);

/** Returns the text directly in the element. */
export const textOf = ({ children }: Element): string =>
  children.filter((child) => typeof child === 'string').join('');

/** Returns the text of a child; undefined without such a child. */
export function childText(parent: Element, name: string, ns: string = parent.ns): string | undefined {
  const child = childOf(parent, name, ns);
  return child && textOf(child);
}

/**
 * Matches characters that XML 1.0 cannot contain. A server closes the stream of a client that sends one (RFC 6120,
 * section 4.9.3.13, "not-well-formed").
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(illegal, '\uFFFD')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char);

/** Returns the element as XML. `outer` is the namespace that is in force around it. */
export function toXml({ name, ns, attrs, children }: Element, outer = 'jabber:client'): string {
  const space = ns === outer ? '' : ` xmlns="${escaped(ns)}"`;
  const given = Object.entries(attrs).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inner = children.map((child) => (isElement(child) ? toXml(child, ns) : escaped(child)));
  const head = `<${name}${space}${given.join('')}`;
  return inner.length === 0 ? `${head}/>` : `${head}>${inner.join('')}</${name}>`;
}

/** Maximum characters of one stanza. Servers allow 256 KiB by default (prosody `c2s_stanza_size_limit`). */
const STANZA_CHARS = 1_048_576;
/** Characters that are parsed between two checks of the stanza's size. */
const PIECE_CHARS = 65_536;
/** Maximum depth of nested elements in a stanza. */
const DEPTH = 64;

export interface StreamParser {
  /** Parses the next characters. Throws if the XML is malformed, restricted or too large. */
  write(text: string): void;
}

interface StreamEvents {
  /** The server opened its stream. */
  opened(): void;
  /** A whole element directly below the stream's root. */
  element(element: Element): void;
  /** The server closed its stream. */
  closed(): void;
}

interface Open {
  readonly name: string;
  readonly ns: string;
  readonly attrs: Record<string, string>;
  readonly children: (Element | string)[];
}

/**
 * Creates the parser of one stream. XMPP forbids comments, processing instructions and document types (RFC 6120,
 * section 11.1), so an entity bomb ends the stream before anything of it is expanded.
 */
export function createStreamParser(events: StreamEvents): StreamParser {
  const parser = sax.parser(true, { xmlns: true, position: false });
  const open: Open[] = [];
  let depth = 0;
  let chars = 0;
  const refuse = (what: string) => (): never => {
    throw new Error(`The stream contains ${what}.`);
  };
  parser.onerror = (error) => {
    throw error;
  };
  parser.ondoctype = refuse('a document type');
  parser.oncomment = refuse('a comment');
  parser.onprocessinginstruction = ({ name }) => {
    if (name !== 'xml') refuse('a processing instruction')();
  };
  parser.onopentag = (tag) => {
    depth += 1;
    if (depth === 1) return events.opened();
    if (depth > DEPTH) refuse('too many nested elements')();
    const { local, uri, attributes } = tag as sax.QualifiedTag;
    const attrs: Record<string, string> = Object.create(null);
    for (const { name, value } of Object.values(attributes))
      if (!name.startsWith('xmlns')) attrs[name] = value;
    open.push({ name: local, ns: uri, attrs, children: [] });
  };
  const put = (text: string): void => {
    const parent = open.at(-1);
    if (parent === undefined) chars = 0;
    else parent.children.push(text);
  };
  parser.ontext = put;
  parser.oncdata = put;
  parser.onclosetag = () => {
    depth -= 1;
    if (depth === 0) return events.closed();
    const done = open.pop();
    if (done === undefined) return;
    const parent = open.at(-1);
    if (parent !== undefined) return void parent.children.push(done);
    chars = 0;
    events.element(done);
  };
  return {
    write(text) {
      for (let at = 0; at < text.length; at += PIECE_CHARS) {
        const piece = text.slice(at, at + PIECE_CHARS);
        chars += piece.length;
        parser.write(piece);
        if (chars > STANZA_CHARS && open.length > 0)
          refuse(`a stanza of more than ${STANZA_CHARS} characters`)();
      }
    },
  };
}

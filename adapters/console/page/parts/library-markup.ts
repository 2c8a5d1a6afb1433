import { type ComponentChild, createElement } from 'preact';

type Names = ReadonlySet<string>;

const token = /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)>|([^<>]+)/gy;
const attribute = / ([a-zA-Z-]+)="([^"]*)"/g;
const entity = /&(amp|lt|gt|quot|#x27);/g;
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
/** Matches declarations that change the look of an element but cannot move it over other parts of the page. */
const declaration =
  /(?<![\w-])((?:border|padding|width|height|color|text-align|font-weight|math-depth)(?:-[a-z]+)?):([\w .%#-]+)/g;

/** Maximum nesting of elements, so that the page can draw them without exhausting its stack. */
const DEEPEST = 100;

/**
 * Builds elements from markup that a library made from an agent's text; returns undefined if the markup contains any
 * other element than `tags`. The markup never reaches the browser as HTML: this function creates the permitted elements
 * and attributes itself, and the rest is text. A mistake of the library therefore cannot run a script or load a file.
 * Styles are set as properties of the element, because the content security policy forbids style attributes in HTML.
 */
export function builtFrom(markup: string, tags: Names, attributes: Names): ComponentChild[] | undefined {
  const open: { tag: string; props: object; children: ComponentChild[] }[] = [];
  const built: ComponentChild[] = [];
  let read = 0;
  for (const [whole, ends, tag = '', written = '', text] of markup.matchAll(token)) {
    read += whole.length;
    if (text !== undefined) (open.at(-1)?.children ?? built).push(decoded(text));
    else if (!ends && tags.has(tag)) open.push({ tag, props: propsOf(written, attributes), children: [] });
    else {
      const last = open.pop();
      if (!ends || last?.tag !== tag) return undefined;
      (open.at(-1)?.children ?? built).push(createElement(tag, last.props, ...last.children));
    }
    if (open.length > DEEPEST) return undefined;
  }
  return read === markup.length && open.length === 0 ? built : undefined;
}

const decoded = (text: string): string => text.replace(entity, (_, name) => characters[name] ?? '');

function propsOf(written: string, attributes: Names): object {
  const found = [...written.matchAll(attribute)].filter(([, name = '']) => attributes.has(name));
  const styleOf = (value: string) =>
    Object.fromEntries([...value.matchAll(declaration)].map(([, name, set]) => [name, set]));
  return Object.fromEntries(
    found.map(([, name = '', value = '']) => [name, name === 'style' ? styleOf(value) : decoded(value)]),
  );
}

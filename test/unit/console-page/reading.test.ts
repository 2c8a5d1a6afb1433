import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteLabels, notesOf } from '../../../adapters/console/page/parts/footnotes.ts';
import { type Block, type Inline, parse } from '../../../src/kit/ladder.ts';

interface Element {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>> & { readonly children?: Child | readonly Child[] };
}
type Child = string | Element;
type Built = readonly Child[] | undefined;

interface Parts {
  readonly coloured: (text: string, language: string) => Built;
  readonly formula: (source: string) => Built;
  readonly builtFrom: (markup: string, tags: ReadonlySet<string>, attributes: ReadonlySet<string>) => Built;
}

/** Loads a part without its types, which bring those of the browser and contradict those of Node.js in other files. */
async function load(name: string): Promise<Parts> {
  const path = new URL(`../../../adapters/console/page/parts/${name}.ts`, import.meta.url).pathname;
  return (await import(path)) as Parts;
}
const { coloured } = await load('colours');
const { formula } = await load('formula');
const { builtFrom } = await load('library-markup');

const childrenOf = ({ props: { children = [] } }: Element): readonly Child[] => [children].flat(1) as Child[];

function elementsIn(children: Built): readonly Element[] {
  return (children ?? []).flatMap((child) =>
    typeof child === 'string' ? [] : [child, ...elementsIn(childrenOf(child))],
  );
}

const textIn = (children: Built): string =>
  (children ?? []).map((child) => (typeof child === 'string' ? child : textIn(childrenOf(child)))).join('');

const propsIn = (children: Built): readonly string[] => [
  ...new Set(elementsIn(children).flatMap(({ props }) => Object.keys(props))),
];

function formulasIn(blocks: readonly Block[]): readonly string[] {
  const inlines = (all: readonly Inline[]): readonly string[] =>
    all.flatMap((one) => {
      if ('children' in one) return inlines(one.children);
      return one.kind === 'code' && one.formula ? [one.text] : [];
    });
  return blocks.flatMap((block) => {
    if (block.kind === 'code') return block.formula ? [block.text] : [];
    return block.kind === 'paragraph' ? inlines(block.children) : [];
  });
}

describe('the colours of code', () => {
  // A block that takes long switches its language off, so the clock stands still: a busy machine must change nothing.
  beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());
  const hostile = '</code><script>alert(1)</script> &lt;b&gt; "\'& <img src=x onerror=y> \u0000';

  it.each([
    'js',
    'ts',
    'python',
    'html',
    'xml',
    'css',
    'sql',
    'bash',
    'json',
    'yaml',
    'php',
    'diff',
    'c++',
  ])('never change %s, and add nothing but classes', (language) => {
    for (const code of [hostile, `"${hostile}`, `// ${hostile}\nconst x = 1;`, `<a href="${hostile}">`]) {
      const built = coloured(code, language);
      expect(textIn(built)).toBe(code);
      expect(new Set(elementsIn(built).map(({ type }) => type))).toEqual(
        new Set(elementsIn(built).length > 0 ? ['span'] : []),
      );
      expect(propsIn(built).filter((name) => !['class', 'children'].includes(name))).toEqual([]);
    }
  });

  it('mark keywords', () => {
    const [keyword] = elementsIn(coloured('const a = 1;', 'JavaScript'));
    expect(keyword?.props).toMatchObject({ class: 'hljs-keyword', children: 'const' });
  });

  it.each([
    '',
    'no such',
    'constructor',
    '__proto__',
    '<img>',
    '../../x',
    'mermaid',
    'markdown',
    'js"onload=',
  ])('leave out the language %j', (language) => expect(coloured('a', language)).toBeUndefined());

  it.each([
    ['a long block', 'x\n'.repeat(5_001)],
    ['a long line', 'x'.repeat(401)],
  ])('leave out %s', (_, code) => expect(coloured(code, 'js')).toBeUndefined());

  it('leave out a language after a block that took long, under all its names', () => {
    vi.mocked(Date.now).mockReturnValueOnce(0).mockReturnValueOnce(251);
    expect(coloured('int a;', 'c')).toBeDefined();
    expect([coloured('int a;', 'c'), coloured('int a;', 'h')]).toEqual([undefined, undefined]);
    expect(coloured('int a;', 'cpp')).toBeDefined();
  });
});

describe('formulas', () => {
  it.each([
    ['\\(x^2\\)', 'x2', 'inline'],
    ['$x^2$', 'x2', 'inline'],
    ['$$\\frac{a}{b}$$', 'ab', 'block'],
    ['\\[\na<b\n\\]', 'a<b', 'block'],
    ['\\begin{align}a&=b\\end{align}', 'a=b', 'block'],
  ])('%s are shown as MathML', (source, text, display) => {
    const built = formula(source);
    expect([elementsIn(built)[0]?.type, textIn(built)]).toEqual(['math', text]);
    const shown = elementsIn(built)[0]?.props as { display?: string };
    expect(shown.display ?? 'inline').toBe(display);
  });

  const deep = (begin: string, end: string) => `$${begin.repeat(900)}x${end.repeat(900)}$`;
  it.each([
    ['an unknown command', '$\\nosuch x$'],
    ['an error', '$\\frac{a}{$'],
    ['a link', '$\\href{javascript:alert(1)}{x}$'],
    ['an address', '$\\url{javascript:alert(1)}$'],
    ['an image', '$\\includegraphics{https://evil.example/x.png}$'],
    ['attributes', '$\\htmlData{a=b}{x}$'],
    ['a class', '$\\class{dialog}{x}$'],
    ['an id', '$\\id{app}{x}$'],
    ['a style', '$\\style{position:fixed}{x}$'],
    ['a reference', '$\\ref{app}$'],
    ['macros that expand exponentially', '$\\def\\a{xx}\\def\\b{\\a\\a}\\def\\c{\\b\\b}\\c\\c$'],
    ['a macro without an end', '$\\newcommand{\\a}{\\a\\a}\\a$'],
    ['a name for a macro', '$\\let\\a=\\frac \\a{1}{2}$'],
    ['too many expansions', `$${'\\iff '.repeat(900)}$`],
    ['100 KB', `$$${'x^2+'.repeat(25_000)}x$$`],
    ['deep braces', deep('\\sqrt{', '}')],
    ['deep brackets', deep('\\left(', '\\right)')],
    ['open braces', deep('{', '')],
    ['no signs', 'x^2'],
    ['other signs', '\\(x^2$'],
    ['text behind it', '$$x^2$$ where x'],
  ])('with %s show their source', (_, source) => expect(formula(source)).toBeUndefined());

  it.each([
    '$\\kern-100em x$',
    '$\\raisebox{1000em}{x}$',
    '$\\mathllap{xxxx}$',
    '$\\cancelto{0}{x}$',
    '$\\rule{1000em}{1000em}$',
    '$\\text{<script>alert(1)</script>}$',
    '$\\label{app}x$',
    '$\\color{#ff0000}x$',
  ])('%s can neither leave its place nor add anything else', (source) => {
    const built = formula(source) ?? [];
    for (const { type, props } of elementsIn(built)) {
      expect(type).toMatch(/^(?:m[a-z]+|none|span)$/);
      const { style = {} } = props as { style?: object };
      expect(Object.keys(style).join(' ')).not.toMatch(
        /\b(?<!-)(?:position|margin|left|right|top|transform|z-index)/,
      );
      for (const size of JSON.stringify(props, ['style', 'width', 'height', 'padding']).match(
        /[\d.]+(?=em)/g,
      ) ?? [])
        expect(Number(size)).toBeLessThanOrEqual(20);
    }
    expect(propsIn(built).filter((name) => /^(?:on|href|src|id$|data|dangerously)/.test(name))).toEqual([]);
  });

  it('are told from prices, code and open signs by the parser', () => {
    const text = 'It costs $5 and $10, $HOME and $PATH, `$x^2$`, $x^2$, \\(y\\), $$z_1$$ and $a^2 \\[';
    expect(formulasIn(parse(text))).toEqual(['$x^2$', '\\(y\\)', '$$z_1$$']);
    expect(formulasIn(parse('```formula\n$x^2$\n```'))).toEqual([]);
    expect(formulasIn(parse(`${'$a '.repeat(10_000)}`))).toEqual([]);
  });

  it('cost elements in proportion to their length, also 10,000 in one answer', () => {
    const count = (times: number) => {
      const found = formulasIn(parse('$x_1^2$ and \\(\\frac{a}{b}\\). '.repeat(times / 2)));
      expect(found).toHaveLength(times);
      return found.reduce((sum, source) => sum + elementsIn(formula(source)).length, 0);
    };
    expect(count(10_000)).toBe(10 * count(1_000));
    for (const source of [
      '\\frac12',
      '\\sqrt x',
      'x^2_3',
      '\\ne ',
      '\\vec x',
      '\\text{a}',
      'a&',
      '\\cdots ',
    ]) {
      const long = source.repeat(200);
      const built = elementsIn(formula(`$$\\begin{matrix}${long}\\end{matrix}$$`));
      expect(built.length).toBeGreaterThan(0);
      expect(built.length).toBeLessThan(4 * long.length);
    }
  });
});

describe('markup of a library', () => {
  const built = (markup: string) => builtFrom(markup, new Set(['span', 'mi']), new Set(['class', 'style']));

  it.each([
    '<script>alert(1)</script>',
    '<span><img src="x"></span>',
    '<span class=x>a</span>',
    "<span class='x'>a</span>",
    '<span>a',
    'a</span>',
    '<span>a</mi>',
    '<span><mi>a</span></mi>',
    '<!-- a -->',
    'a < b',
    '<SPAN>a</SPAN>',
    '<constructor>a</constructor>',
    '<span>'.repeat(101) + '</span>'.repeat(101),
  ])('%.40s is not built', (markup) => expect(built(markup)).toBeUndefined());

  it('becomes elements with permitted attributes and styles, and text', () => {
    const markup =
      '<span class="a&quot;b" onclick="x" id="y" style="position:fixed;padding-left:1em;width:url(x);color:#f00">&lt;b&gt; &amp;amp;<mi>x</mi></span>';
    const [element] = elementsIn(built(markup));
    expect(element?.props).toMatchObject({
      class: 'a"b',
      style: { 'padding-left': '1em', color: '#f00' },
    });
    expect(propsIn(built(markup)).toSorted()).toEqual(['children', 'class', 'style']);
    expect(textIn(built(markup))).toBe('<b> &amp;x');
  });
});

describe('footnotes', () => {
  const notes = (text: string) =>
    parse(text).flatMap((block) => (block.kind === 'paragraph' ? notesOf(block.children) : []));

  it.each([
    ['[^1]: First *note*.\n[^long-one]: Second\nline.', ['1', 'long-one']],
    ['[^1]: One note.\n\n[^1]: Again it.', ['1', '1']],
    ['Text[^1] and [^2]: text', []],
    ['[^a b]: text', []],
    ['`[^1]: code here`', []],
  ])('%j have labels', (text, labels) => {
    expect(notes(text).map(({ label }) => label)).toEqual(labels);
    expect([...noteLabels(parse(text))]).toEqual([...new Set(labels)]);
  });

  it('keep their content', () => {
    const [first, second] = notes('[^1]: First *note*.\n[^2]: Second\nline.');
    expect(first?.children.map(({ kind }) => kind)).toEqual(['text', 'emphasis', 'text']);
    expect(second?.children.map(({ kind }) => kind)).toEqual(['text', 'break', 'text']);
  });
});

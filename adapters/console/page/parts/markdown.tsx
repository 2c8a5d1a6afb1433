import { useMemo, useRef } from 'preact/hooks';
import { type Block, GrowingMarkdown, passageBlocks } from '../../../../src/kit.ts';
import { CopyButton } from './controls.tsx';
import { type Look, plainLook } from './look.ts';
import { Inlines } from './markdown-inline.tsx';

/** Shows an agent's text. Blocks that did not change are not parsed or rendered again. */
export function Markdown({ text, look, growing }: { text: string; look: Look; growing: boolean }) {
  const parser = useRef<GrowingMarkdown>(undefined);
  parser.current ??= new GrowingMarkdown();
  const grown = parser.current;
  const blocks = useMemo(() => {
    const shown = grown.update(text);
    return growing ? shown : grown.finish();
  }, [grown, text, growing]);
  return (
    <div class={`markdown ${growing ? 'growing' : ''}`}>
      <Blocks blocks={blocks} look={look} />
    </div>
  );
}

/** Shows a passage of a source, without citations and images. */
export function Passage({ text }: { text: string }) {
  const blocks = useMemo(() => passageBlocks(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} look={plainLook} />
    </div>
  );
}

function Blocks({ blocks, look }: { blocks: readonly Block[]; look: Look }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} look={look} />);
}

function BlockView({ block, look }: { block: Block; look: Look }) {
  return useMemo(() => renderBlock(block, look), [block, look]);
}

function renderBlock(block: Block, look: Look) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Inlines inlines={block.children} look={look} />
        </p>
      );
    case 'heading':
      return <Heading block={block} look={look} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} look={look} />
        </blockquote>
      );
    case 'list':
      return <List block={block} look={look} />;
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />;
    case 'table':
      return <Table block={block} look={look} />;
    case 'rule':
      return <hr />;
  }
}

interface Of<K extends Block['kind']> {
  readonly block: Extract<Block, { kind: K }>;
  readonly look: Look;
}

/** Element for each heading level in an answer. It starts at h3, below the page's own headings. */
const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function Heading({ block, look }: Of<'heading'>) {
  const Level = headings[block.level - 1] ?? 'h6';
  return (
    <Level>
      <Inlines inlines={block.children} look={look} />
    </Level>
  );
}

function List({ block, look }: Of<'list'>) {
  const items = block.items.map((item, index) => (
    <li key={index} class={item.done === undefined ? undefined : 'task'}>
      {item.done !== undefined && (
        <input type="checkbox" checked={item.done} disabled aria-label={item.done ? 'Done' : 'Open'} />
      )}
      <Blocks blocks={item.children} look={look} />
    </li>
  ));
  const tight = block.tight ? 'tight' : undefined;
  if (block.start === undefined) return <ul class={tight}>{items}</ul>;
  return (
    <ol class={tight} start={block.start}>
      {items}
    </ol>
  );
}

function Table({ block, look }: Of<'table'>) {
  const side = (column: number) => {
    const align = block.align[column];
    return align && align !== 'none' ? `to-${align}` : undefined;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard
    <div class="table-frame" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, column) => (
              <th key={column} class={side(column)} scope="col">
                <Inlines inlines={cell} look={look} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={side(column)}>
                  <Inlines inlines={cell} look={look} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows code without wrapping its lines, with its language and a button that copies it. */
function CodeBlock({ language, text }: { language: string; text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{language.split(/\s/)[0] || 'text'}</span>
        <CopyButton text={() => text} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

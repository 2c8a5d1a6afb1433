import { useMemo, useRef } from 'preact/hooks';
import { type Block, GrowingMarkdown, passageBlocks } from '../../../../src/kit/ladder.ts';
import { CodeBlock, Formula, GrowingBlock } from './code.tsx';
import { noteLabels, notesOf } from './footnotes.ts';
import { Inlines } from './markdown-inline.tsx';
import { plainContext, type RenderContext } from './render-context.ts';

interface MarkdownProps {
  readonly text: string;
  readonly context: RenderContext;
  readonly growing: boolean;
}

/** Shows an agent's text. Blocks that did not change are not parsed or rendered again. */
export function Markdown({ text, context, growing }: MarkdownProps) {
  const parser = useRef<GrowingMarkdown>(undefined);
  parser.current ??= new GrowingMarkdown();
  const grown = parser.current;
  const blocks = useMemo(() => {
    const parsed = grown.update(text);
    return growing ? parsed : grown.finish();
  }, [grown, text, growing]);
  const content = useMemo(
    () => (growing ? context : { ...context, notes: noteLabels(blocks) }),
    [growing, context, blocks],
  );
  return (
    <div class={`markdown ${growing ? 'growing' : ''}`}>
      {blocks.map((block, index) => (
        <GrowingBlock.Provider key={index} value={growing && index === blocks.length - 1}>
          <BlockView block={block} context={content} />
        </GrowingBlock.Provider>
      ))}
    </div>
  );
}

/** Shows a passage of a source, without citations and images. */
export function Passage({ text }: { text: string }) {
  const blocks = useMemo(() => passageBlocks(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} context={plainContext} />
    </div>
  );
}

function Blocks({ blocks, context }: { blocks: readonly Block[]; context: RenderContext }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} context={context} />);
}

function BlockView({ block, context }: { block: Block; context: RenderContext }) {
  return useMemo(() => renderBlock(block, context), [block, context]);
}

function renderBlock(block: Block, context: RenderContext) {
  switch (block.kind) {
    case 'paragraph':
      return <Paragraph block={block} context={context} />;
    case 'heading':
      return <Heading block={block} context={context} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} context={context} />
        </blockquote>
      );
    case 'list':
      return <List block={block} context={context} />;
    case 'code':
      return block.formula ? (
        <Formula source={block.text} />
      ) : (
        <CodeBlock language={block.language} text={block.text} />
      );
    case 'table':
      return <Table block={block} context={context} />;
    case 'rule':
      return <hr />;
  }
}

interface Of<K extends Block['kind']> {
  readonly block: Extract<Block, { kind: K }>;
  readonly context: RenderContext;
}

function Paragraph({ block, context }: Of<'paragraph'>) {
  const notes = notesOf(block.children);
  if (notes.length === 0)
    return (
      <p>
        <Inlines inlines={block.children} context={context} />
      </p>
    );
  return notes.map(({ label, children }, index) => (
    <p key={index} class="footnote" data-note={label} tabIndex={-1}>
      <sup>{label}</sup> <Inlines inlines={children} context={context} />
    </p>
  ));
}

/** Element for each heading level in an answer. The levels start at h3, below the page's own headings. */
const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function Heading({ block, context }: Of<'heading'>) {
  const Level = headings[block.level - 1] ?? 'h6';
  return (
    <Level>
      <Inlines inlines={block.children} context={context} />
    </Level>
  );
}

function List({ block, context }: Of<'list'>) {
  const items = block.items.map((item, index) => (
    <li key={index} class={item.done === undefined ? undefined : 'task'}>
      {item.done !== undefined && (
        <input type="checkbox" checked={item.done} disabled aria-label={item.done ? 'Done' : 'Open'} />
      )}
      <Blocks blocks={item.children} context={context} />
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

function Table({ block, context }: Of<'table'>) {
  const side = (column: number) => {
    const align = block.align[column];
    return align && align !== 'none' ? `to-${align}` : undefined;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard
    <figure class="table-frame" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, column) => (
              <th key={column} class={side(column)} scope="col">
                <Inlines inlines={cell} context={context} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={side(column)}>
                  <Inlines inlines={cell} context={context} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

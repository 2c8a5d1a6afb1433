import type { Block, Cell, Inline } from '../../../../src/kit/ladder.ts';

interface Footnote {
  readonly label: string;
  readonly children: Inline[];
}

const begin = /^\[\^([\w-]{1,40})\]:\s*/;

/** Returns the footnotes of a paragraph such as `[^1]: Text`, one per line; an empty list for any other paragraph. */
export function notesOf(inlines: Cell): readonly Footnote[] {
  const notes: Footnote[] = [];
  for (const [index, inline] of inlines.entries()) {
    const isFirst = index === 0 || inlines[index - 1]?.kind === 'break';
    const [mark, label] = (isFirst && inline.kind === 'text' && begin.exec(inline.text)) || [];
    const children = notes.at(-1)?.children;
    if (inline.kind === 'text' && mark !== undefined && label !== undefined) {
      if (children?.at(-1)?.kind === 'break') children.pop();
      notes.push({ label, children: [{ kind: 'text', text: inline.text.slice(mark.length) }] });
    } else if (children === undefined) return [];
    else children.push(inline);
  }
  return notes;
}

/** Returns the labels of all footnotes at the top level of a text. */
export const noteLabels = (blocks: readonly Block[]): ReadonlySet<string> =>
  new Set(
    blocks.flatMap((block) =>
      block.kind === 'paragraph' ? notesOf(block.children).map(({ label }) => label) : [],
    ),
  );

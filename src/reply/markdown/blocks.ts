/** The content of a Markdown text as plain data: the trees from which every renderer works. */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  /** `formula` is true if the text is a formula in TeX, with the signs around it. */
  | { readonly kind: 'code'; readonly text: string; readonly formula?: true }
  /** The destination as written. It is untrusted: use it as a link only if `safeDestination` accepts it. */
  | {
      readonly kind: 'link';
      readonly destination: string;
      readonly title?: string;
      readonly children: readonly Inline[];
    }
  | { readonly kind: 'image'; readonly destination: string; readonly title?: string; readonly alt: string }
  /** `hard` is true for an explicit line break, and false for a line end in the source, which is shown as a space. */
  | { readonly kind: 'break'; readonly hard: boolean };

export type Alignment = 'left' | 'center' | 'right' | 'none';

export type Cell = readonly Inline[];

export interface ListItem {
  /** True if the task is done; absent for an item that is not a task. */
  readonly done?: boolean;
  readonly children: readonly Block[];
}

/** A block of Markdown. Raw HTML is plain text in paragraphs. */
export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | {
      readonly kind: 'list';
      /** Number of the first item in an ordered list; absent for bullets. */
      readonly start?: number;
      /** True if no blank lines separate the items. Their paragraphs are then shown without space between them. */
      readonly tight: boolean;
      readonly items: readonly ListItem[];
    }
  /** `text` does not include the last line end; `language` is empty if the fence names none. */
  | { readonly kind: 'code'; readonly language: string; readonly text: string; readonly formula?: true }
  /** `align` has one entry per column, and every row has as many cells. */
  | {
      readonly kind: 'table';
      readonly align: readonly Alignment[];
      readonly head: readonly Cell[];
      readonly rows: readonly (readonly Cell[])[];
    }
  | { readonly kind: 'rule' };

/**
 * Returns a copy of the blocks in which `change` was applied to the content of each paragraph, heading and
 * cell.
 */
export function mapInlines(blocks: readonly Block[], change: (inlines: Cell) => Cell): readonly Block[] {
  return blocks.map((block): Block => {
    switch (block.kind) {
      case 'paragraph':
      case 'heading':
        return { ...block, children: change(block.children) };
      case 'quote':
        return { ...block, children: mapInlines(block.children, change) };
      case 'list': {
        const items = block.items.map((item) => ({ ...item, children: mapInlines(item.children, change) }));
        return { ...block, items };
      }
      case 'table':
        return { ...block, head: block.head.map(change), rows: block.rows.map((row) => row.map(change)) };
      default:
        return block;
    }
  });
}

/** Position of a block in the text: UTF-16 offsets. `to` is exclusive and excludes the last line's end. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A block at the top level of the text. */
export type PlacedBlock = Block & Span;

/** A document after reading, whatever its format was. Text is Markdown. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph' | 'list' | 'table' | 'code'; readonly text: string }
  | { readonly kind: 'image'; readonly alt: string; readonly source: string };

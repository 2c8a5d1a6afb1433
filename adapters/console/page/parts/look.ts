import type { MediaView, ReplyView, SourceView } from '../../wire.ts';

/** Sources and images that a reply's Markdown may show. */
export interface Look {
  readonly turn: string;
  /** Returns the source for a mark in the text. */
  readonly cited: (mark: number) => SourceView | undefined;
  /** Returns the same-origin picture for an image's destination. No other image is loaded. */
  readonly picture: (destination: string) => MediaView | undefined;
}

export function lookOf({ turn, sources, media }: Pick<ReplyView, 'turn' | 'sources' | 'media'>): Look {
  const marks = new Map(sources.map((source) => [source.mark ?? source.number, source]));
  const pictures = new Map(
    media.filter((one) => one.kind === 'image' && isSameOrigin(one.address)).map((one) => [one.inline, one]),
  );
  return { turn, cited: (mark) => marks.get(mark), picture: (destination) => pictures.get(destination) };
}

/** The look of text without citations and pictures, such as a passage of a source. */
export const plainLook: Look = { turn: '', cited: () => undefined, picture: () => undefined };

/** True for a path on this server: it begins with one slash, so it has no host. */
export function isSameOrigin(address: string | undefined): address is string {
  return address !== undefined && /^\/(?![/\\])/.test(address);
}

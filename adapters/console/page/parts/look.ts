import type { MediaView, ReplyView, SourceView } from '../../wire.ts';

/** Sources and images that a reply's Markdown may show. */
export interface Look {
  readonly turn: string;
  /** The source that a mark in the text stands for. */
  readonly cited: (mark: number) => SourceView | undefined;
  /** The same-origin picture behind an image's destination; no other image is ever loaded. */
  readonly picture: (destination: string) => MediaView | undefined;
}

export function lookOf({ turn, sources, media }: Pick<ReplyView, 'turn' | 'sources' | 'media'>): Look {
  const marks = new Map(sources.map((source) => [source.mark ?? source.number, source]));
  const pictures = new Map(
    media.filter((one) => one.kind === 'image' && isOurs(one.address)).map((one) => [one.inline, one]),
  );
  return { turn, cited: (mark) => marks.get(mark), picture: (destination) => pictures.get(destination) };
}

/** For text that shows nothing but its own words, such as a source's. */
export const plainLook: Look = { turn: '', cited: () => undefined, picture: () => undefined };

/** A path of this very server: one slash, no host. */
export function isOurs(address: string | undefined): address is string {
  return address !== undefined && /^\/(?![/\\])/.test(address);
}

import type { MediaView, ReplyView, SourceView } from '../../wire.ts';
import { viewMarks } from '../state/readable.ts';

/** The sources and images that a reply's Markdown can refer to. */
export interface RenderContext {
  readonly turn: string;
  /** Returns the source that a mark such as [2] refers to. */
  readonly cited: (mark: number) => SourceView | undefined;
  /** Returns the image to show for an address in the Markdown, if this server serves it. No other image is loaded. */
  readonly picture: (destination: string) => MediaView | undefined;
  /** Labels of the footnotes in the text; absent while it grows. */
  readonly notes?: ReadonlySet<string>;
  /**
   * Set in a person's message: the mentions that the person wrote, in lower case with their `@`. Markdown can show text
   * that was not written, such as `&#64;name`, which mentions no agent.
   */
  readonly mentions?: ReadonlySet<string> | undefined;
}

export function renderContextOf(reply: Pick<ReplyView, 'turn' | 'sources' | 'media'>): RenderContext {
  const { turn, sources, media } = reply;
  const pictures = new Map(
    media.filter((one) => one.kind === 'image' && isSameOrigin(one.address)).map((one) => [one.inline, one]),
  );
  const cited = (mark: number) => sources.find((source) => viewMarks(source).includes(mark));
  return { turn, cited, picture: (destination) => pictures.get(destination) };
}

/** For text without citations and images, such as a passage of a source. */
export const plainContext: RenderContext = { turn: '', cited: () => undefined, picture: () => undefined };

/** True for a path on this server. A path begins with exactly one slash; two would begin a host. */
export function isSameOrigin(address: string | undefined): address is string {
  return address !== undefined && /^\/(?![/\\])/.test(address);
}

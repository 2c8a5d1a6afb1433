/** What a reply looks like in Slack, as plain data: ids, places and times, and nothing of what was said. */

import { foreignPart, type ReplyPart } from '../../../src/kit/reply-part.ts';
import type { Screen } from '../../../src/kit.ts';
import type { Begin, StreamState } from '../render/emit.ts';
import type { Form } from '../render/form.ts';

/** How far a stream has come. */
export interface Emitted {
  readonly state: StreamState;
  /** Characters of the stream's text. */
  readonly chars: number;
  /** Bytes of the whole stream as Slack counts them, and those of its tasks among them. */
  readonly bytes: number;
  readonly taskBytes: number;
  /** Task by step: its state as it is shown. */
  readonly tasks: Readonly<Record<string, string>>;
}

/** One message. Its looks are the numbers of sources and the images that are shown. */
export interface SlackPart extends ReplyPart<Form> {
  /** Of a live stream. */
  readonly emitted?: Emitted;
  /** True if Slack refuses to stop the stream. */
  readonly stuck?: true;
}

/** A message whose post has an unknown outcome: it is looked up before anything else is posted. */
export interface Lost {
  readonly begin: Begin;
  /** Whether it may be a stream, which carries no mark of ours until it is stopped. */
  readonly live: boolean;
}

export type Upload =
  | { readonly state: 'sent' | 'ready'; readonly file: string }
  /** Whole, but Slack does not know its type yet; `looks` counts how often it was asked. */
  | { readonly state: 'digested'; readonly file: string; readonly looks: number }
  | { readonly state: 'failed' };

/** `session`: an agent session that works; `line`: the older status line; `none`: there is none to be had. */
export type Status = 'session' | 'line' | 'none';

export interface SlackScreen extends Screen {
  readonly parts: readonly SlackPart[];
  readonly lost?: Lost;
  /** The messages were removed, or the room is closed to us. */
  readonly gone?: true;
  /** Streams were refused here. */
  readonly streamless?: true;
  /** The simplest form that Slack asked for when it refused a post. */
  readonly form: Form;
  /** By the id of the medium. */
  readonly images: Readonly<Record<string, Upload>>;
  /** Uploads, or tries to take the status away, in a row whose outcome stayed unknown. */
  readonly failures: number;
}

export const BLANK: SlackScreen = {
  rung: 'once',
  parts: [],
  finished: false,
  form: 'rich',
  images: {},
  failures: 0,
};

/** A stored screen is one that this writer made; one of an earlier writer is taken over as far as it goes. */
export function own(screen: Screen): SlackScreen {
  const parts = screen.parts.map((part): SlackPart => ({ ...foreignPart(part), ...part }));
  return { ...BLANK, ...screen, parts };
}

export function withStatus({ status: _, ...screen }: SlackScreen, status: string | undefined): SlackScreen {
  return status === undefined ? screen : { ...screen, status };
}

export function withImage(screen: SlackScreen, media: string, upload: Upload): SlackScreen {
  return { ...screen, failures: 0, images: { ...screen.images, [media]: upload } };
}

/** Slack's ids of the images that a message can show, by the id of the medium. */
export function readyImages(images: SlackScreen['images']): Readonly<Record<string, string>> {
  const ready = Object.entries(images).flatMap(([id, upload]) =>
    upload.state === 'ready' ? [[id, upload.file] as const] : [],
  );
  return Object.fromEntries(ready);
}

/** What a reply looks like in Slack, as plain data: ids, places and times, and nothing of what was said. */

import type { TextPart } from '../../../src/kit/shown.ts';
import type { Part, Screen } from '../../../src/kit.ts';
import type { Begin, Emission } from '../render/emit.ts';
import type { Form } from '../render/message.ts';

/** How far a stream has come. */
export interface Emitted {
  readonly state: Emission;
  /** Characters that the stream holds. */
  readonly chars: number;
  /** Task by step: its state as it is shown. */
  readonly tasks: Readonly<Record<string, string>>;
}

/** One message. `from` and `to` are offsets of the source, as `begin` says in more detail. */
export interface SlackPart extends TextPart {
  readonly begin: Begin;
  /** How the next message begins; set together with `to`. */
  readonly onward?: Begin;
  /** Of a live stream. */
  readonly emitted?: Emitted;
  readonly form: Form;
  /** The numbers of sources and the images that are shown. */
  readonly looks: string;
  /** Edits in a row whose outcome stayed unknown. */
  readonly failures: number;
  /** It was taken as the reply's end is to look; what changes afterwards stands beside the text. */
  readonly ended?: true;
  /** Slack takes no more edits of it: it stays as it is. */
  readonly left?: true;
}

/** A message whose post has an unknown outcome: it is looked up before anything else is posted. */
export interface Lost {
  readonly begin: Begin;
  /** Whether it may be a stream, which carries no mark of ours until it is stopped. */
  readonly live: boolean;
}

export type Upload =
  | { readonly state: 'sent' | 'ready'; readonly file: string }
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

function foreignPart(part: Part): SlackPart {
  const begin = { at: part.from, fresh: true };
  return { ...part, begin, form: 'rich', hash: 0, looks: '', failures: 0, sure: false };
}

export function withPart(screen: SlackScreen, index: number, part: SlackPart): SlackScreen {
  return { ...screen, parts: screen.parts.with(index, part) };
}

export function withStatus({ status: _, ...screen }: SlackScreen, status: string | undefined): SlackScreen {
  return status === undefined ? screen : { ...screen, status };
}

export function withImage(screen: SlackScreen, media: string, upload: Upload): SlackScreen {
  return { ...screen, failures: 0, images: { ...screen.images, [media]: upload } };
}

export const weaker: Readonly<Record<Form, Form>> = { rich: 'simple', simple: 'plain', plain: 'plain' };

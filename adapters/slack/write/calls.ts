/** The calls that a reply is made of. Each holds what it needs, so that it can be made without the screen. */

import type { Media, Move, ReplyDocument } from '../../../src/kit.ts';
import type { Begin } from '../render/emit.ts';
import type { Form } from '../render/form.ts';
import type { Lost, SlackPart, SlackScreen } from './screen.ts';

interface OfDocument {
  readonly document: ReplyDocument;
}

interface OfPart extends OfDocument {
  readonly index: number;
  readonly part: SlackPart;
}

export type Call =
  | (OfDocument & { readonly kind: 'status'; readonly way: 'session' | 'line'; readonly on: boolean })
  | (OfDocument & { readonly kind: 'start'; readonly begin: Begin; readonly to?: number })
  /** `to`: the stream ends there; absent: as far as the source goes. */
  | (OfPart & { readonly kind: 'append'; readonly to?: number })
  /** end: adds the blocks under the answer. rotate: the text continues in a new message. repair: an edit will correct it. */
  | (OfPart & {
      readonly kind: 'stop';
      readonly why: 'end' | 'rotate' | 'repair';
      /** End of the text that is sent with the stop; it begins where the stream's text ends. */
      readonly to?: number;
      readonly images: SlackScreen['images'];
      readonly activates: boolean;
    })
  | (OfDocument & {
      readonly kind: 'post';
      readonly rung: 'edits' | 'once';
      readonly index: number;
      readonly begin: Begin;
      readonly to?: number;
      readonly form: Form;
      readonly images: SlackScreen['images'];
    })
  | (OfPart & { readonly kind: 'update'; readonly to?: number; readonly images: SlackScreen['images'] })
  | (OfPart & { readonly kind: 'delete' })
  | (OfDocument & {
      readonly kind: 'find';
      readonly index: number;
      readonly lost: Lost;
      readonly known: readonly string[];
    })
  | (OfDocument & { readonly kind: 'upload'; readonly media: Media })
  | (OfDocument & { readonly kind: 'complete'; readonly media: Media; readonly file: string })
  /** Checks whether Slack has processed the upload. */
  | (OfDocument & {
      readonly kind: 'look';
      readonly media: Media;
      readonly file: string;
      readonly looks: number;
    });

export type Kind = Call['kind'];
export type Of<One extends Kind> = Extract<Call, { kind: One }>;

const families: Readonly<Record<Exclude<Kind, 'status'>, string>> = {
  start: 'chat.startStream',
  append: 'chat.appendStream',
  stop: 'chat.stopStream',
  post: 'chat.postMessage',
  update: 'chat.update',
  delete: 'chat.delete',
  find: 'conversations.replies',
  upload: 'files.getUploadURLExternal',
  complete: 'files.completeUploadExternal',
  look: 'files.info',
};

export const SESSION_STATUS = 'agents.sessions.setStatus';
export const STATUS_LINE = 'assistant.threads.setStatus';

export function familyOf(call: Call): string {
  if (call.kind !== 'status') return families[call.kind];
  return call.way === 'session' ? SESSION_STATUS : STATUS_LINE;
}

export function move(call: Call, essential: boolean, needs?: Move['needs']): Move {
  return { family: familyOf(call), essential, call, ...(needs && { needs }) };
}

/** What a reply holds reserved when it has begun so. */
export const NEEDS = {
  native: { 'chat.postMessage': 0, 'chat.stopStream': 1, 'chat.update': 1 },
  edits: { 'chat.postMessage': 0, 'chat.update': 1 },
  once: { 'chat.postMessage': 1 },
  status: { [SESSION_STATUS]: 1 },
} as const;

/** A move's call is opaque to the core; this writer gets back only its own. */
export function callOf({ call }: Move): Call {
  return call as Call;
}

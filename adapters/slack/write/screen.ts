/** State of a reply in Slack, as plain data without text: ids, positions and times. Stored with the turn. */

import type {
  Emitted as BaseEmitted,
  CallOf,
  LadderCall,
  LadderPart,
  LadderScreen,
  LivePart,
  Media,
} from '../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import type { Form } from '../render/form.ts';

/** How far a stream has been written. */
export interface Emitted extends BaseEmitted {
  /** Characters of the stream's text. */
  readonly chars: number;
  /** Bytes of the whole stream as Slack counts them, and how many of these are tasks. */
  readonly bytes: number;
  readonly taskBytes: number;
  /** State that each task shows, by the id of its step. */
  readonly tasks: Readonly<Record<string, string>>;
}

export interface SlackPart extends LadderPart {
  readonly form: Form;
  readonly emitted?: Emitted;
}

export type SlackLive = LivePart & SlackPart & { readonly emitted: Emitted };

export type Upload =
  | { readonly state: 'sent' | 'ready'; readonly file: string }
  /** The upload is complete, but Slack has not reported the image's type yet. `looks` counts the checks. */
  | { readonly state: 'digested'; readonly file: string; readonly looks: number }
  | { readonly state: 'failed' };

/**
 * `status` is what Slack shows while the agent works:
 * - `session`: a working agent session
 * - `line`: the line below the thread that `assistant.threads.setStatus` shows
 * - `sessionless`: sessions are refused, but the line may work
 * - `none`: both are refused
 * - `assumed`: an earlier process may have set the session's status, the line or neither
 *
 * The property `line` is used only with `assumed`: it says whether this process set or cleared the line.
 */
export interface SlackScreen extends LadderScreen {
  readonly parts: readonly SlackPart[];
  readonly form: Form;
  /** State of each image's upload, by the id of the medium. */
  readonly images: Readonly<Record<string, Upload>>;
  readonly line?: 'set' | 'cleared';
  /** Number of times that an image was tried again after Slack had refused it. */
  readonly again?: number;
  /** Number of consecutive uploads, or attempts to clear the status, whose outcome is unknown. */
  readonly failures: number;
}

/** A reply's calls for its status and its images. */
export type SideCall = { readonly document: ReplyDocument } & (
  | { readonly kind: 'status'; readonly way: 'session' | 'line'; readonly on: boolean }
  | { readonly kind: 'upload'; readonly media: Media }
  | { readonly kind: 'complete'; readonly media: Media; readonly file: string }
  /** Checks whether Slack has processed the upload. */
  | { readonly kind: 'look'; readonly media: Media; readonly file: string; readonly looks: number }
);

export type TextCall = LadderCall<SlackScreen>;
export type Call = TextCall | SideCall;
export type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;
export type OfText<Kind extends TextCall['kind']> = CallOf<Kind, SlackScreen>;

export const SESSION_STATUS = 'agents.sessions.setStatus';
const STATUS_LINE = 'assistant.threads.setStatus';

/** Rate-limit families of the calls, named after Slack's methods. */
export const textFamilies: Readonly<Record<TextCall['kind'], string>> = {
  start: 'chat.startStream',
  append: 'chat.appendStream',
  stop: 'chat.stopStream',
  post: 'chat.postMessage',
  update: 'chat.update',
  delete: 'chat.delete',
  find: 'conversations.replies',
};

const sideFamilies = {
  upload: 'files.getUploadURLExternal',
  complete: 'files.completeUploadExternal',
  look: 'files.info',
};

export function familyOf(call: Exclude<Call, OfText<TextCall['kind']>>): string {
  if (call.kind !== 'status') return sideFamilies[call.kind];
  return call.way === 'session' ? SESSION_STATUS : STATUS_LINE;
}

/** Returns Slack's ids of the images that a message can show, by the id of the medium. */
export function readyImages(images: SlackScreen['images']): Readonly<Record<string, string>> {
  const ready = Object.entries(images).flatMap(([id, upload]) =>
    upload.state === 'ready' ? [[id, upload.file] as const] : [],
  );
  return Object.fromEntries(ready);
}

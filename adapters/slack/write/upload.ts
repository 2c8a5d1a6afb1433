/**
 * Uploads an image in three steps: sends the bytes to the address that Slack provides, completes the upload, and checks
 * its state.
 */

import { plain, text } from '../../../src/kit/ladder.ts';
import { BridgeError, type Outcome } from '../../../src/kit.ts';
import { post } from '../api/post.ts';
import { label, shortened } from '../render/escape.ts';
import { words } from '../render/words.ts';
import { outcomeBeside, type Performing } from './deps.ts';
import type { Of } from './screen.ts';

/** Maximum characters of a file's title and of its alternative text. Slack accepts 1,000 for the alternative text. */
const TITLE_CHARS = 150;
const ALT_CHARS = 1_000;

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Sends the image's bytes. Returns `done` with the file's id, or without an id if the image cannot be loaded. */
export async function sendImage({ media, document }: Of<'upload'>, at: Performing): Promise<Outcome> {
  const { deps, turn, signal } = at;
  const { agent, account } = document;
  if (agent === undefined) return { kind: 'done' };
  const from = { turn: document.turn, agent, ...(account !== undefined && { account }) };
  const opened = await deps.host.openMedia(media, from, signal).catch((thrown: unknown) => {
    if (thrown instanceof BridgeError) return undefined;
    throw thrown;
  });
  const ending = endings[opened?.type ?? ''];
  if (opened === undefined || ending === undefined) return { kind: 'done' };
  const args = {
    filename: `${fileName(media.name)}.${ending}`,
    length: opened.bytes.byteLength,
    alt_txt: label(media.name, ALT_CHARS, words.image),
  };
  const { tenant } = turn.message.thread;
  const answer = await deps.sender.call(tenant, 'files.getUploadURLExternal', args, signal);
  if (answer.kind !== 'done') return outcomeBeside(answer);
  const [url, id] = [text(answer.body.upload_url), text(answer.body.file_id)];
  if (url === undefined || id === undefined) return { kind: 'unknown' };
  const sent = await post({ url, body: opened.bytes, type: opened.type }, deps.apiUrl, signal);
  return sent.kind === 'done' ? { kind: 'done', id } : outcomeBeside(sent);
}

const fileName = (name: string): string =>
  shortened(name.replace(/\.[a-z]{3,4}$/i, '').replace(/[^\p{L}\p{N} _-]+/gu, '_'), TITLE_CHARS) || 'image';

export async function completeUpload({ media, file }: Of<'complete'>, at: Performing): Promise<Outcome> {
  const { deps, turn, signal } = at;
  const args = { files: [{ id: file, title: label(media.name, TITLE_CHARS, words.image) }] };
  const { tenant } = turn.message.thread;
  const answer = await deps.sender.call(tenant, 'files.completeUploadExternal', args, signal);
  return answer.kind === 'done' ? { kind: 'done', id: file } : outcomeBeside(answer);
}

/**
 * Checks an upload. Returns `done` with the file's id once a message may show the file. Slack takes about 1 s to
 * process the file. Until then, Slack refuses blocks with the file (`invalid_blocks`) and does not report the file's
 * type.
 */
export async function lookAtUpload({ file }: Of<'look'>, at: Performing): Promise<Outcome> {
  const { deps, turn, signal } = at;
  const answer = await deps.sender.call(turn.message.thread.tenant, 'files.info', { file }, signal);
  if (answer.kind === 'done') {
    const type = text(plain(answer.body.file).mimetype) ?? '';
    return type.startsWith('image/') ? { kind: 'done', id: file } : { kind: 'done' };
  }
  if (answer.kind !== 'refused') return outcomeBeside(answer);
  // If the app may not call `files.info`, the image counts as ready. If Slack has in fact not processed it yet, Slack
  // refuses the message.
  if (answer.why === 'unsupported') return { kind: 'done', id: file };
  return answer.why === 'rate' ? outcomeBeside(answer) : { kind: 'done' };
}

/** Implements files.*: uploads in three steps, and the data of a file. */

import { fileJson } from '../answers.ts';
import { list, needText, number, text } from '../args.ts';
import { type Call, threadOf, writableChannel } from '../call.ts';
import { kindOf, uploadsOf } from '../files/uploads.ts';
import { refuse } from '../refusal.ts';
import type { Json, SharedFile } from '../shapes.ts';
import { blankMessage, clearStatusLine, echo } from './post.ts';

/** Maximum characters of an alternative text: error `alt_txt_too_large` of files.getUploadURLExternal. */
const ALT_TEXT = 1_000;

export function getUploadUrl({ args, workspace, world, url }: Call): Json {
  const length = number(args, 'length') ?? Number(text(args, 'length') ?? 0);
  const name = needText(args, 'filename');
  if (!Number.isInteger(length) || length <= 0) refuse('missing_argument');
  // `alt_txt` is the documented name (https://docs.slack.dev/reference/methods/files.getUploadURLExternal), although
  // the SDK's type says alt_text.
  const altText = text(args, 'alt_txt');
  if ((altText?.length ?? 0) > ALT_TEXT) refuse('alt_txt_too_large');
  const id = world.newId('F');
  uploadsOf(world).set(id, {
    name,
    length,
    team: workspace.id,
    ...(altText === undefined ? {} : { altText }),
  });
  return { upload_url: `${url}/upload/v1/${id}`, file_id: id };
}

export function completeUpload(call: Call): Json {
  const { args, workspace, world, url } = call;
  const asked = list(args, 'files') ?? [];
  if (asked.length === 0) refuse('invalid_arguments');
  // Without a channel the file stays private to the app.
  const target = text(args, 'channel_id');
  const channels = target === undefined ? [] : [writableChannel(call, target)];
  const files = asked.map((each) => finish(call, each));
  for (const file of files) workspace.files.set(file.id, file);
  for (const channel of channels) {
    const threadTs = threadOf(channel, text(args, 'thread_ts'));
    const message = {
      ...blankMessage(call, channel),
      text: text(args, 'initial_comment') ?? '',
      blocks: list(args, 'blocks') ?? [],
      files,
      subtype: 'file_share',
      ...(threadTs === undefined ? {} : { threadTs }),
    };
    for (const file of files) file.channels.add(channel.id);
    channel.messages.push(message);
    clearStatusLine(call, message);
    world.emit(echo(call, channel, message));
  }
  return { files: files.map((file) => ({ ...fileJson(file, url, world.clock.now()), title: file.title })) };
}

function finish({ world, workspace }: Call, asked: Json): SharedFile {
  const id = needText(asked, 'id');
  const upload = uploadsOf(world).get(id);
  // An upload cannot be completed before its bytes have arrived.
  if (upload?.bytes === undefined || upload.team !== workspace.id) return refuse('file_not_found');
  uploadsOf(world).delete(id);
  return {
    id,
    name: upload.name,
    title: text(asked, 'title') ?? upload.name,
    ...(upload.kind ?? kindOf(upload.name)),
    bytes: upload.bytes,
    user: workspace.botUser,
    team: workspace.id,
    created: world.clock.now(),
    processedAt: world.clock.now() + world.processingMs,
    channels: new Set(),
    deleted: false,
    ...(upload.altText === undefined ? {} : { altText: upload.altText }),
  };
}

export function fileInfo({ args, workspace, world, url }: Call): Json {
  const file = workspace.files.get(needText(args, 'file')) ?? refuse('file_not_found');
  if (file.deleted) refuse('file_deleted');
  const { odd: _, ...whole } = file;
  return { file: fileJson(file.odd === 'no-url' ? whole : file, url, world.clock.now()), comments: [] };
}

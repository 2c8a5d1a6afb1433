/** Converts the fake's messages to the JSON of Slack's API. */

import type { Json, Message, SharedFile, Workspace } from './shapes.ts';
import { blocksOf } from './visible/blocks-of.ts';
import type { App, World } from './world.ts';

export function botProfile(app: App, workspace: Workspace): Json {
  return {
    id: workspace.botId,
    deleted: false,
    name: app.name,
    updated: 1_790_000_000,
    app_id: app.id,
    team_id: workspace.id,
    icons: { image_36: 'https://a.slack-edge.com/36.png' },
  };
}

export function messageJson(world: World, workspace: Workspace, message: Message, url: string): Json {
  const { threadTs, metadata, files, editedAt, author } = message;
  const subtype = author === undefined ? message.subtype : 'bot_message';
  return {
    type: 'message',
    ...(subtype === undefined ? {} : { subtype }),
    ...(author === undefined ? { user: message.user } : authorFields(author)),
    team: workspace.people.get(message.user)?.team ?? workspace.id,
    ts: message.ts,
    text: message.text,
    ...(message.app ? ownFields(world.app, workspace) : {}),
    blocks: blocksOf(message),
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments }),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    ...(files.length === 0 ? {} : { files: files.map((file) => fileJson(file, url)), upload: false }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(editedAt === undefined ? {} : { edited: { user: message.user, ts: seconds(editedAt) } }),
    ...(message.stream === undefined ? {} : { streaming_state: streamingState(message.stream.state) }),
  };
}

/**
 * A message posted under another name has no `user` field: https://docs.slack.dev/reference/events/message/bot_message,
 * and seen in gammons/slk#76 and timescale/tiger-agents-for-work#173.
 */
const authorFields = ({ username, emoji, url }: NonNullable<Message['author']>): Json => ({
  ...(username === undefined ? {} : { username }),
  ...(emoji === undefined && url === undefined
    ? {}
    : { icons: emoji === undefined ? { image_48: url } : { emoji } }),
});

const ownFields = (app: App, workspace: Workspace): Json => ({
  bot_id: workspace.botId,
  app_id: app.id,
  bot_profile: botProfile(app, workspace),
});

/** Returns the `streaming_state` of a message, with the values of BotMessageEvent in @slack/types. */
function streamingState(state: string): string {
  if (state === 'live') return 'in_progress';
  return state === 'expired' ? 'errored' : 'completed';
}

export const seconds = (ms: number): string => `${Math.floor(ms / 1_000)}.000000`;

/**
 * False for about a second after the upload, while Slack has not yet determined the file's type:
 * slackapi/node-slack-sdk#2170, slackapi/slack-github-action#413.
 */
export const isProcessed = ({ processedAt = 0 }: SharedFile, now: number): boolean => now >= processedAt;

/** Converts a file to JSON: https://docs.slack.dev/reference/objects/file-object */
export function fileJson(file: SharedFile, url: string, now = Number.POSITIVE_INFINITY): Json {
  const known = isProcessed(file, now);
  const address = file.odd === 'foreign' ? url.replace('127.0.0.1', 'localhost') : url;
  const path = `${address}/files-pri/${file.team}-${file.id}`;
  return {
    id: file.id,
    created: Math.floor(file.created / 1_000),
    timestamp: Math.floor(file.created / 1_000),
    name: file.name,
    title: file.title,
    mimetype: known ? file.mimetype : '',
    filetype: known ? file.filetype : '',
    pretty_type: known ? file.filetype.toUpperCase() : '',
    user: file.user,
    user_team: file.team,
    editable: false,
    size: file.bytes.length,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: true,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    ...(file.odd === 'no-url'
      ? { file_access: 'check_file_info' }
      : {
          url_private: `${path}/${encodeURIComponent(file.name)}`,
          url_private_download: `${path}/download/${encodeURIComponent(file.name)}`,
          file_access: 'visible',
        }),
    permalink: `${url}/files/${file.user}/${file.id}/${encodeURIComponent(file.name)}`,
    permalink_public: `${url}/${file.team}-${file.id}`,
    is_starred: false,
    has_rich_preview: false,
    channels: [...file.channels],
    groups: [],
    ims: [],
    ...(file.altText === undefined ? {} : { alt_txt: file.altText }),
  };
}

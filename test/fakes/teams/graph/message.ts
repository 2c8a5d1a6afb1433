/**
 * Converts a message to Graph's JSON: https://learn.microsoft.com/graph/api/resources/chatmessage. Graph returns an
 * app's Markdown as HTML, and omits channelData.
 */

import markdownIt from 'markdown-it';
import type { Json } from '../read.ts';
import type { Conversation, Message, Tenant } from '../shapes.ts';
import type { App } from '../world.ts';

const markdown = markdownIt({ html: false, breaks: true });

export function messageJson(tenant: Tenant, conversation: Conversation, message: Message, app: App): Json {
  const { shown, person } = message;
  const gone = message.deletedAt;
  return {
    id: message.id,
    replyToId: message.root === message.id ? null : message.root,
    messageType: 'message',
    createdDateTime: isoOf(message.postedAt),
    lastModifiedDateTime: isoOf(message.editedAt ?? message.postedAt),
    subject: message.subject ?? null,
    deletedDateTime: gone === undefined ? null : isoOf(gone),
    chatId: conversation.kind === 'channel' ? null : conversation.id,
    channelIdentity:
      conversation.kind === 'channel'
        ? { teamId: groupOf(tenant, conversation), channelId: conversation.id }
        : null,
    from:
      person === undefined
        ? { application: { id: app.id, displayName: app.name, applicationIdentityType: 'bot' }, user: null }
        : { application: null, user: { id: person, displayName: tenant.people.get(person)?.name ?? '' } },
    body: { contentType: 'html', content: gone === undefined ? htmlOf(message) : '' },
    attachments: gone === undefined ? attachmentsOf(message).map(attachmentJson) : [],
    mentions: gone === undefined ? shown.entities.flatMap((each) => mentionJson(each, app)) : [],
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const groupOf = ({ teams }: Tenant, { team }: Conversation): string =>
  teams.get(team ?? '')?.aadGroupId ?? '';

/** Converts a mention of a person or an app; Graph identifies an app by its id in Microsoft Entra. */
function mentionJson({ type, mentioned }: Json, app: App): readonly Json[] {
  if (type !== 'mention') return [];
  const { id, name } = mentioned as Json;
  const who =
    id === app.botId ? { application: { id: app.id, displayName: name } } : { user: { displayName: name } };
  return [{ mentionText: name, mentioned: who }];
}

const HTML = 'text/html';

/** Graph's attachments do not contain the HTML of the message, which is its body. */
const attachmentsOf = ({ shown }: Message): readonly Json[] =>
  shown.attachments.filter(({ contentType }) => contentType !== HTML);

/** Returns the HTML body, with an `attachment` element for each attachment. */
function htmlOf(message: Message): string {
  const { shown } = message;
  const copy = shown.attachments.find(({ contentType }) => contentType === HTML)?.content;
  if (typeof copy === 'string') return copy.replace(MENTION, '<at id="$1">$2</at>');
  const marks = attachmentsOf(message).map((_, nth) => `<attachment id="${nth + 1}"></attachment>`);
  const text = shown.textFormat.endsWith('markdown') ? markdown.render(shown.text) : `<p>${shown.text}</p>`;
  return `${text.trim()}${marks.join('')}`;
}

/** Mentions in the copy that bots get; in Graph's messages they are `at` elements. */
const MENTION = /<span itemtype="[^"]*Mention" itemscope itemid="(\d+)">(.*?)<\/span>/g;

const attachmentJson = ({ id, contentType, content, contentUrl, name }: Json, nth: number): Json => ({
  id: id ?? String(nth + 1),
  contentType,
  contentUrl: contentUrl ?? null,
  content: typeof content === 'object' ? JSON.stringify(content) : (content ?? null),
  name: name ?? null,
});

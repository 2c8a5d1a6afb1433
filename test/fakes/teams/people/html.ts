/** Writes the HTML copy of a message, which Teams sends as an attachment. */

import type { Json } from '../read.ts';
import type { Message, Tenant } from '../shapes.ts';
import type { App } from '../world.ts';

export interface Marked {
  readonly attachment: Json;
  /** HTML in the message body that refers to the attachment. */
  readonly mark: string;
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Writes the HTML body: mentions become numbered spans, quotes come first and attachments last. */
export function htmlOf(text: string, marks: readonly Marked[], quotes: readonly Marked[]): string {
  let nth = -1;
  const lines = text
    .split(/(<at>.*?<\/at>)/)
    .map((part) => {
      const name = /^<at>(.*)<\/at>$/.exec(part)?.[1];
      // Teams inserts a no-break space after a name, and writes it like this into the plain text, too.
      if (name === undefined) return escaped(part).replaceAll('&amp;nbsp;', '&nbsp;');
      nth += 1;
      return `<span itemtype="http://schema.skype.com/Mention" itemscope itemid="${nth}">${escaped(name)}</span>`;
    })
    .join('')
    .split('\n');
  const body = lines.map((line) => `<p>${line}</p>`).join('');
  return [...quotes, { mark: body }, ...marks].map(({ mark }) => mark).join('\n');
}

/** Returns the quote of a message, as in a reply in a chat. */
export function quoteOf({ people }: Tenant, app: App, { id, person, shown }: Message): Marked {
  const sender = person === undefined ? undefined : people.get(person);
  const content = {
    messageId: id,
    messagePreview: shown.text.slice(0, 100),
    messageSender:
      sender === undefined
        ? { application: { applicationIdentityType: 'bot', displayName: app.name } }
        : { user: { userIdentityType: 'aadUser', id: sender.aadObjectId, displayName: sender.name } },
  };
  const attachment = { id, contentType: 'messageReference', content: JSON.stringify(content) };
  return {
    attachment,
    mark: `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="${id}">${escaped(shown.text)}</blockquote>`,
  };
}

/** Escapes a text for HTML, but keeps the `<at>` tags of mentions. */
export const encodedText = (text: string): string =>
  text
    .split(/(<\/?at>)/)
    .map((part) => (/^<\/?at>$/.test(part) ? part : escaped(part)))
    .join('');

/**
 * Returns a forwarded message as in Microsoft Graph, "chatMessageAttachment": its content is the original message as
 * JSON text.
 */
export function forwardOf({ people }: Tenant, { id, conversation, person, shown, postedAt }: Message): Json {
  const sender = person === undefined ? undefined : people.get(person);
  const content = {
    originalMessageId: id,
    originalMessageContent: htmlOf(shown.text, [], []),
    originalConversationId: conversation,
    originalSentDateTime: new Date(postedAt).toISOString(),
    originalMessageSender: {
      application: null,
      device: null,
      user:
        sender === undefined
          ? null
          : { userIdentityType: 'aadUser', id: sender.aadObjectId, displayName: sender.name },
    },
  };
  return { id, contentType: 'forwardedMessageReference', content: JSON.stringify(content) };
}

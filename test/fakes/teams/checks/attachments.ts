/** Checks a bot's attachments: cards and pictures. https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference */

import { isJson, type Json } from '../read.ts';
import { badRequest, refuse } from '../refusal.ts';
import type { Conversation } from '../shapes.ts';
import { checkSignInCard, SIGN_IN_CARD } from '../sign-on/card.ts';
import { faultsOfCard } from './card.ts';
import { picture } from './card-values.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';
/** Maximum cards in a list or carousel. */
const MOST = 10;
const PROPERTIES = new Set(['contentType', 'content', 'contentUrl', 'name', 'thumbnailUrl']);

export function checkAttachments({ attachments }: Json, kind: Conversation['kind']): void {
  if (attachments === undefined) return;
  if (!Array.isArray(attachments)) badRequest('attachments must be a list');
  if (attachments.length > MOST) badRequest(`More than ${MOST} attachments`);
  for (const attachment of attachments as readonly unknown[]) checkAttachment(attachment, kind);
}

function checkAttachment(attachment: unknown, kind: Conversation['kind']): void {
  if (!isJson(attachment)) badRequest('An attachment must be an object');
  const unknown = Object.keys(attachment).find((name) => !PROPERTIES.has(name));
  if (unknown !== undefined) badRequest(`An attachment has no property ${unknown}`);
  const { contentType, content, contentUrl } = attachment;
  if (contentType === SIGN_IN_CARD) {
    checkSignInCard(content, kind);
    return;
  }
  if (contentType === CARD) {
    const [fault] = faultsOfCard(content);
    if (fault !== undefined) refuse(400, 'BadArgument', `The Adaptive Card cannot be shown: ${fault}`);
    return;
  }
  if (!/^image\/(\*|png|jpeg|gif)$/.test(String(contentType)))
    badRequest(`Attachments of type ${String(contentType)} are not taken here`);
  if (picture(contentUrl) !== undefined) badRequest('The picture has no address that Teams could fetch');
}

/** Checks a bot's attachments: cards and pictures. https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference */

import type { Call } from '../connector/call.ts';
import { isJson } from '../read.ts';
import { badRequest, refuse } from '../refusal.ts';
import type { Conversation } from '../shapes.ts';
import { checkSignInCard, SIGN_IN_CARD } from '../sign-on/card.ts';
import { faultsOfCard } from './card.ts';
import { picture } from './card-values.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';
/** Maximum cards in a list or carousel. */
const MOST = 10;
const PROPERTIES = new Set(['contentType', 'content', 'contentUrl', 'name', 'thumbnailUrl']);

/** Which conversation an attachment is sent to. `targeted`: only one person sees it. */
interface Where {
  readonly kind: Conversation['kind'];
  readonly targeted: boolean;
}

export function checkAttachments({ asked }: Call, kind: Conversation['kind']): void {
  const { attachments } = asked.body;
  const where = { kind, targeted: asked.query.get('isTargetedActivity') === 'true' };
  if (attachments === undefined) return;
  if (!Array.isArray(attachments)) badRequest('attachments must be a list');
  if (attachments.length > MOST) badRequest(`More than ${MOST} attachments`);
  for (const attachment of attachments as readonly unknown[]) checkAttachment(attachment, where);
}

function checkAttachment(attachment: unknown, { kind, targeted }: Where): void {
  if (!isJson(attachment)) badRequest('An attachment must be an object');
  const unknown = Object.keys(attachment).find((name) => !PROPERTIES.has(name));
  if (unknown !== undefined) badRequest(`An attachment has no property ${unknown}`);
  const { contentType, content, contentUrl } = attachment;
  if (contentType === SIGN_IN_CARD) {
    checkSignInCard(content, kind, targeted);
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

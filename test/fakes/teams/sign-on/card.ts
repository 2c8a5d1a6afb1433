/**
 * Checks sign-in cards. Their form: https://learn.microsoft.com/dotnet/api/microsoft.teams.apps.oauth.oauthcard and
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/sso-adaptive-cards-universal-action.
 * Personal chats and group chats take them ("SSO for a bot app in Teams is supported in one-on-one and group chat scope,
 * and not supported in channel scope", messaging-extensions/how-to/enable-sso-auth-me). In a group chat, the card must be
 * a targeted message, so that only the person sees it (microsoft/teams.ts pull request 676).
 * A property that is null is refused (trace of teams.net of 2026-04-22: BadRequest). Each card needs a button with an
 * https address, because the client shows the button if it gets no token. For 127.0.0.1, http is accepted too.
 */

import { child, isJson, type Json, list, text } from '../read.ts';
import { badRequest } from '../refusal.ts';
import type { Conversation, Shown } from '../shapes.ts';

export const SIGN_IN_CARD = 'application/vnd.microsoft.card.oauth';

/** A sign-in card as a client reads it. */
export interface SignInCard {
  readonly id: string;
  readonly uri: string;
  readonly connectionName: string;
  readonly page: string;
}

const MEMBERS = new Set(['text', 'connectionName', 'tokenExchangeResource', 'buttons']);
const RESOURCE = new Set(['id', 'uri', 'providerId']);

/** @param targeted true if only one person sees the card */
export function checkSignInCard(content: unknown, kind: Conversation['kind'], targeted: boolean): void {
  if (kind === 'channel') badRequest('A sign-in card is not for channels');
  if (kind === 'groupChat' && !targeted) badRequest('In a group chat, a sign-in card is for one person only');
  if (!isJson(content)) badRequest('The sign-in card has no content');
  checkTexts(content, MEMBERS, ['text', 'connectionName']);
  const resource = child(content, 'tokenExchangeResource') ?? {};
  checkTexts(resource, RESOURCE, ['id', 'uri']);
  const buttons = list(content, 'buttons');
  const [button] = buttons;
  const page = URL.parse(text(button, 'value') ?? '');
  const isSafe = page?.protocol === 'https:' || page?.hostname === '127.0.0.1';
  if (buttons.length !== 1 || button?.type !== 'signin' || text(button, 'title') === undefined || !isSafe)
    badRequest('The sign-in card needs one button of type signin with a title and an https address');
}

function checkTexts(value: Json, members: ReadonlySet<string>, needed: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !members.has(name) || value[name] === null);
  if (unknown !== undefined) badRequest(`A sign-in card has no member ${unknown}, or it is null`);
  const missing = needed.find((name) => typeof value[name] !== 'string');
  if (missing !== undefined) badRequest(`A sign-in card needs ${missing}`);
}

export function signInCardIn({ attachments }: Pick<Shown, 'attachments'>): SignInCard | undefined {
  const found = attachments.find(({ contentType }) => contentType === SIGN_IN_CARD);
  const content = child(found, 'content');
  if (content === undefined) return undefined;
  const resource = child(content, 'tokenExchangeResource');
  return {
    id: text(resource, 'id') ?? '',
    uri: text(resource, 'uri') ?? '',
    connectionName: text(content, 'connectionName') ?? '',
    page: text(list(content, 'buttons')[0], 'value') ?? '',
  };
}

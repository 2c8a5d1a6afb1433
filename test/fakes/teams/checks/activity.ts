/**
 * Checks activities of the app (Bot Connector REST reference, "Activity object"). An activity that contradicts the
 * documentation, but that Teams would accept, is recorded as a violation.
 */

import type { Call } from '../connector/call.ts';
import { child, isJson, type Json, list, text } from '../read.ts';
import { badRequest, refuse } from '../refusal.ts';
import type { Conversation } from '../shapes.ts';
import { checkAttachments } from './attachments.ts';
import { checkMentions } from './mentions.ts';
import { checkCitations, MESSAGE_ENTITY, rootEntity } from './message-entity.ts';
import { isTooLarge } from './size.ts';
import { suggestionFaults } from './suggestions.ts';

const MEMBERS = new Set(
  [
    'type id channelId serviceUrl from recipient conversation replyToId timestamp localTimestamp locale',
    'text textFormat attachments attachmentLayout entities channelData suggestedActions summary importance',
    'inputHint speak deliveryMode',
  ].flatMap((line) => line.split(' ')),
);
const FORMATS = ['plain', 'markdown', 'xml', 'extendedmarkdown'];
const ENTITIES = ['mention', MESSAGE_ENTITY, 'streaminfo'];

export function checkActivity(call: Call, conversation: Conversation): void {
  const { body } = call.asked;
  if (isTooLarge(body)) refuse(413, 'MessageSizeTooBig', 'Message size too large');
  checkContent(call, conversation);
  if (body.type === 'message' && isEmpty(body)) badRequest('The message has neither text nor attachments');
}

const isEmpty = (body: Json): boolean =>
  (text(body, 'text') ?? '').trim() === '' && list(body, 'attachments').length === 0;

/** Checks everything except size and emptiness, for which streams have their own rules. */
export function checkContent(call: Call, conversation: Conversation): void {
  const { body } = call.asked;
  if (body.type !== 'message' && body.type !== 'typing')
    badRequest(`Activities of type ${String(body.type)} cannot be sent`);
  if (body.text !== undefined && typeof body.text !== 'string') badRequest('text must be a string');
  checkFormat(body);
  const root = rootEntity(body);
  if (root !== undefined) checkCitations(root);
  checkAttachments(call, conversation.kind);
  checkFeedback(body);
  const loose = checkMentions(body, call.tenant, conversation);
  report(call, [
    ...memberFaults(body),
    ...addressFaults(call, conversation),
    ...loose,
    ...uncited(body, root),
    ...suggestionFaults(body, conversation),
  ]);
}

function checkFormat({ textFormat, entities }: Json): void {
  if (textFormat !== undefined && !FORMATS.includes(String(textFormat)))
    badRequest(`textFormat ${String(textFormat)} is not known`);
  if (entities !== undefined && !(Array.isArray(entities) && entities.every(isJson)))
    badRequest('entities must be a list of objects');
}

function checkFeedback(body: Json): void {
  const loop = child(body, 'channelData')?.feedbackLoop;
  if (loop === undefined) return;
  if (!isJson(loop) || !['default', 'custom'].includes(String(loop.type)))
    badRequest('feedbackLoop.type must be default or custom');
}

const memberFaults = (body: Json): readonly string[] => [
  ...Object.keys(body)
    .filter((name) => !MEMBERS.has(name))
    .map((name) => `an activity has no member ${name}`),
  ...list(body, 'entities')
    .filter(({ type }) => !ENTITIES.includes(String(type)))
    .map(({ type }) => `an activity of a bot has no entity ${String(type)}`),
];

/** Checks that the body's sender is the app, and that its conversation is the one in the request's address. */
function addressFaults({ asked, server }: Call, conversation: Conversation): readonly string[] {
  const { body } = asked;
  const from = text(child(body, 'from'), 'id');
  const to = text(child(body, 'conversation'), 'id')?.split(';')[0];
  return [
    ...(from === undefined || from === server.world.app.botId ? [] : ['from is not the app']),
    ...(to === undefined || to === conversation.id ? [] : ['conversation is another than in the address']),
  ];
}

/** Clients show a citation only if its number is in the text. */
function uncited(body: Json, root: Json | undefined): readonly string[] {
  const written = text(body, 'text') ?? '';
  return list(root, 'citation')
    .filter(({ position }) => !written.includes(`[${String(position)}]`))
    .map(({ position }) => `citation ${String(position)} has no [${String(position)}] in the text`);
}

function report({ asked, server }: Call, messages: readonly string[]): void {
  if (messages.length > 0) server.log.violations.push({ method: asked.method, messages, asked: asked.body });
}

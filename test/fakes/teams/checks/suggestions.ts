/**
 * Checks suggested actions: "up to three", not together with attachments, and in personal chats only.
 * Teams removes the actions after use.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/prompt-suggestions
 */

import { child, isJson, type Json, list } from '../read.ts';
import { badRequest } from '../refusal.ts';
import type { Conversation } from '../shapes.ts';

const MOST = 3;

export function suggestionFaults(body: Json, { kind }: Conversation): readonly string[] {
  if (body.suggestedActions === undefined) return [];
  const actions = child(body, 'suggestedActions')?.actions;
  if (!Array.isArray(actions) || !actions.every(isSuggestion))
    badRequest('suggestedActions.actions must be a list of actions with type, title and value');
  return [
    ...(kind === 'personal' ? [] : ['suggested actions outside of a personal chat']),
    ...(list(child(body, 'suggestedActions'), 'actions').length > MOST
      ? [`only the first ${MOST} suggested actions are shown`]
      : []),
    ...(list(body, 'attachments').length > 0 ? ['suggested actions are not shown beside attachments'] : []),
  ];
}

const isSuggestion = (value: unknown): boolean =>
  isJson(value) &&
  (value.type === 'imBack' || value.type === 'Action.Compose' || value.type === 'Action.Submit') &&
  typeof value.title === 'string' &&
  value.title !== '' &&
  value.value !== undefined;

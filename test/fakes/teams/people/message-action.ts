/**
 * Commands in the menu of a message. The invoke and its responses:
 * https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/action-commands/create-task-module
 * (section "Payload activity properties when a dialog is invoked from a channel (reply to thread)") and
 * …/action-commands/respond-to-task-module-submit. The app need not be in the conversation. Attachments of the message are
 * not sent ("attachment details aren't sent", page "define-action-command").
 */

import { faultsOfCard } from '../checks/card.ts';
import { child, isJson, type Json, list, text } from '../read.ts';
import type { Act } from './change.ts';
import { htmlOf } from './html.ts';
import { type Invoked, invoke } from './invoke.ts';
import { actionsIn } from './press.ts';

export interface Opened {
  /** The response: a form, or a sentence. */
  readonly form: Invoked;
  /** Fills in the form and sends it. */
  sends(inputs: Readonly<Record<string, string>>): Promise<Invoked>;
}

export function openCommand(act: Act, commandId: string): Opened {
  const { manifest } = act.scene.server.world;
  if (!manifest.messageActions.has(commandId))
    throw new Error(`Teams offers no command ${commandId} in the menu of a message.`);
  const common = { commandId, commandContext: 'message', context: { theme: 'default' } };
  const fetching = { ...common, messagePayload: payloadOf(act) };
  const form = invoke(act, { name: 'composeExtension/fetchTask', value: fetching }, faultsOfTask);
  return {
    form,
    async sends(inputs) {
      const card = child(child(child((await form.answer) ?? {}, 'task'), 'value'), 'card');
      const [submit] = actionsIn(child(card, 'content')).filter(({ type }) => type === 'Action.Submit');
      if (submit === undefined) throw new Error('The form has no button.');
      const defaults = list(child(card, 'content'), 'body').flatMap(({ id, value }) =>
        typeof id === 'string' && typeof value === 'string' ? [[id, value] as const] : [],
      );
      const data = { ...child(submit, 'data'), ...Object.fromEntries(defaults), ...inputs };
      const value = { ...common, data };
      return invoke(act, { name: 'composeExtension/submitAction', value }, faultsOfTask);
    },
  };
}

/** Returns the message as Microsoft Graph describes it ("chatMessage"). */
function payloadOf({ scene, message }: Act): Json {
  const { server, tenant } = scene;
  const author = tenant.people.get(message.person ?? '');
  const { app } = server.world;
  return {
    id: message.id,
    replyToId: null,
    createdDateTime: new Date(message.postedAt).toISOString(),
    deleted: false,
    importance: 'normal',
    body: { contentType: 'html', content: htmlOf(message.shown.text, [], []) },
    from: {
      device: null,
      conversation: null,
      user:
        author === undefined
          ? null
          : { userIdentityType: 'aadUser', id: author.aadObjectId, displayName: author.name },
      application:
        author === undefined ? { applicationIdentityType: 'bot', id: app.id, displayName: app.name } : null,
    },
    reactions: [],
    mentions: [],
    attachments: [],
  };
}

/** Checks a response: nothing, a form with one Adaptive Card, or a sentence. */
function faultsOfTask(answer: Json): readonly string[] {
  if (Object.keys(answer).length === 0) return [];
  const task = child(answer, 'task');
  if (task?.type === 'message') return typeof task.value === 'string' ? [] : ['the message is not a text'];
  const value = child(task, 'value');
  const card = child(value, 'card');
  if (task?.type !== 'continue' || card?.contentType !== 'application/vnd.microsoft.card.adaptive')
    return ['the answer is no task with an Adaptive Card'];
  const titled = text(value, 'title') === undefined ? ['the task has no title'] : [];
  return [...titled, ...(isJson(card.content) ? faultsOfCard(card.content) : ['the card has no content'])];
}

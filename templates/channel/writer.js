/** Shows a reply as one message, which grows while the agent writes. */

/** @import { Kit, ReplyDocument, ReplyWriter, Turn } from 'parley/kit' */
/** @import { Api, Button } from './api.js' */

/**
 * @param {Turn} turn
 * @param {Api} api
 * @param {Kit} kit
 * @returns {ReplyWriter}
 */
export function createWriter(turn, api, kit) {
  const id = turn.reply ?? turn.id;
  const thread = turn.message.thread.key;
  /**
   * @param {ReplyDocument} document
   * @param {AbortSignal} signal
   */
  const show = (document, signal) =>
    api.put(id, { thread, text: textOf(document, kit), buttons: buttonsOf(document, kit) }, signal);
  return kit.documentWriter({
    family: 'put',
    post: show,
    edit: ({ document }, signal) => show(document, signal),
    remove: (_id, signal) => api.remove(id, signal),
  });
}

/**
 * Returns the text of the message. The chat shows plain text, so the Markdown of the answer is written as plain text.
 * @param {ReplyDocument} document
 * @param {Pick<Kit, 'plainText' | 'sourceTitle'>} kit
 */
export function textOf({ text, meanwhile, state, steps, notices, sources }, kit) {
  const step = steps.findLast((each) => each.state === 'running')?.name;
  const begun =
    text === '' && state === 'thinking' ? (meanwhile ?? step ?? 'Thinking…') : kit.plainText(text);
  const named = sources.map((source, at) => `[${source.mark ?? at + 1}] ${kit.sourceTitle(source, at + 1)}`);
  return harmless([begun, ...notices.map((notice) => notice.text), ...named].join('\n'));
}

/**
 * Puts an invisible character behind each `@`, because this chat notifies everybody whose name follows an `@`. An
 * agent's text must not do that. Replace this function by the rules of your chat.
 * @param {string} text
 */
export const harmless = (text) => text.replaceAll('@', '@\u2060');

/**
 * @param {ReplyDocument} document
 * @param {Pick<Kit, 'actions' | 'isFinal'>} kit
 * @returns {Button[]}
 */
export function buttonsOf(document, { actions, isFinal }) {
  const { turn, agent, state, retry, suggestions } = document;
  /** @type {(action: string, label: string, detail?: string) => Button} */
  const button = (action, label, detail = '') => ({ action, detail, turn, label: harmless(label) });
  if (!isFinal(document)) return [button('stop', actions.stop.label)];
  const again = retry ? [button('retry', actions.retry.label)] : [];
  const other =
    state === 'done' && agent !== undefined ? [button('regenerate', actions.regenerate.label)] : [];
  return [...again, ...other, ...suggestions.map((text) => button('suggestion', text, text))];
}

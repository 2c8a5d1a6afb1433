/** Notifications of the desktop when an answer ends that the person waits for. */

import type { ConsoleEvent, MessageView } from '../../wire.ts';
import { after } from '../clock.ts';
import { recall, remember } from './memory.ts';
import { DIRECT } from './model.ts';
import { go } from './session.ts';
import { getState, show, showToast } from './store.ts';
import { shortened } from './time.ts';
import { unreadIn } from './unread.ts';

const KEY = 'notify';
/** Time after which an answer that no other tab or browser of the person has shown is notified, in milliseconds. */
const PATIENCE_MS = 1_500;
const QUESTION_CHARS = 80;

/** True if the browser has notifications for pages. */
export const canNotify = (): boolean => 'Notification' in window;

export function isNotifying(): boolean {
  return canNotify() && recall(KEY) === 'on' && Notification.permission === 'granted';
}

/** Switches notifications on or off. Asks for the permission, which browsers allow only after a press. */
export async function switchNotifying(): Promise<void> {
  if (isNotifying()) remember(KEY, undefined);
  else if ((await Notification.requestPermission()) === 'granted') remember(KEY, 'on');
  else
    return showToast({
      tone: 'error',
      text: 'Your browser blocks notifications of this page. Allow them in its settings for this site.',
    });
  const text = isNotifying()
    ? 'You are notified when an answer to you ends while this page is hidden.'
    : 'Notifications are off.';
  showToast({ tone: 'info', text });
}

/** Shows a notification for each answer to this person among the events, unless they see it meanwhile. */
export function notify(events: readonly ConsoleEvent[]): void {
  if (!document.hidden || !isNotifying()) return;
  for (const event of events) {
    const question = event.type === 'message' && event.arrived ? questionOf(event.message) : undefined;
    if (event.type === 'message' && question?.author.id === getState().who)
      after(PATIENCE_MS, () => notifyOf(event.message, question.text));
  }
}

/** True while a notification may come, so that the page must go on receiving events. */
export function awaitsNotification(): boolean {
  const { running, messages, who } = getState();
  if (!isNotifying()) return false;
  const all = Object.values(messages).flat();
  return all.some((one) => running.includes(one.id) && questionOf(one)?.author.id === who);
}

function questionOf({ room, reply }: MessageView): MessageView | undefined {
  return getState().messages[room]?.find(({ id }) => id === reply?.question);
}

/**
 * The notification contains the agent's name and the beginning of the question, which the person wrote. It contains no
 * text of the answer, because others may see the screen, and the system may store notifications.
 */
function notifyOf({ id, room, thread, author, reply }: MessageView, question: string): void {
  if (!document.hidden || !unreadIn(getState(), room).some((one) => one.id === id)) return;
  const title = `${author.name} ${reply?.state === 'done' ? 'answered' : 'could not finish the answer'}`;
  const body = shortened(question, QUESTION_CHARS);
  try {
    // The tag lets several tabs show one notification.
    const notification = new Notification(title, { body, tag: id });
    notification.onclick = () => {
      window.focus();
      go(thread === DIRECT ? { room } : { room, thread });
      show({ found: { id } });
      notification.close();
    };
  } catch {
    // Chrome on Android has the class, but allows notifications only from a service worker.
  }
}

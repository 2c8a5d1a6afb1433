import { type ComponentChildren, Fragment } from 'preact';
import type { MessageView } from '../../wire.ts';
import { now } from '../clock.ts';
import { useSelect } from '../state/store.ts';
import { dayOf } from '../state/time.ts';
import { Icon } from './icons.tsx';
import { Message } from './message.tsx';
import { useFollowing } from './scrolling.ts';

/** Messages of one author nearer than this stand together. */
const JOIN_MS = 5 * 60_000;

export interface TimelineProps {
  readonly label: string;
  readonly messages: readonly MessageView[];
  readonly days: boolean;
  readonly before?: ComponentChildren;
  readonly under: ((message: MessageView) => ComponentChildren) | undefined;
}

export function Timeline({ label, messages, days, before, under }: TimelineProps) {
  const last = messages.at(-1);
  const sent = useSelect((state) => state.sent);
  const following = useFollowing({
    oldest: `${messages[0]?.id} ${messages[1]?.id}`,
    newest: `${last?.id} ${last?.reply?.text.length}`,
    sent: messages.some((message) => message.id === sent) ? sent : undefined,
  });
  const today = now();
  return (
    <div class="timeline-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="timeline" ref={following.frame} role="log" aria-label={label} aria-live="off" tabIndex={0}>
        <div class="timeline-inner" ref={following.content}>
          {before}
          {messages.map((message, index) => {
            const previous = messages[index - 1];
            const day = days ? dayBetween(previous, message, today) : undefined;
            return (
              <Fragment key={message.id}>
                {day && <Day name={day} />}
                <Message
                  message={message}
                  joined={day === undefined && isJoined(previous, message)}
                  newest={message === last}
                >
                  {under?.(message)}
                </Message>
              </Fragment>
            );
          })}
        </div>
      </div>
      {following.below && (
        <button type="button" class="pill" onClick={following.toEnd}>
          <Icon name="down" size={15} /> New messages
        </button>
      )}
    </div>
  );
}

function Day({ name }: { name: string }) {
  return (
    <div class="day">
      <span>{name}</span>
    </div>
  );
}

function dayBetween(previous: MessageView | undefined, message: MessageView, today: number) {
  const day = dayOf(message.at, today);
  return previous && dayOf(previous.at, today) === day ? undefined : day;
}

function isJoined(previous: MessageView | undefined, message: MessageView): boolean {
  if (!previous || previous.reply || message.reply || message.shared || (previous.answers ?? 0) > 0)
    return false;
  return previous.author.id === message.author.id && message.at - previous.at < JOIN_MS;
}

import { type ComponentChildren, Fragment } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { now } from '../clock.ts';
import { useSelect } from '../state/store.ts';
import { dayOf } from '../state/time.ts';
import { Icon } from './icons.tsx';
import { Message } from './message.tsx';

/** Maximum time between two messages of one author that are shown as a group, in milliseconds. */
const JOIN_MS = 5 * 60_000;

interface TimelineProps {
  readonly label: string;
  readonly messages: readonly MessageView[];
  readonly days: boolean;
  readonly before?: ComponentChildren;
  readonly under: ((message: MessageView) => ComponentChildren) | undefined;
}

export function Timeline({ label, messages, days, before, under }: TimelineProps) {
  const last = messages.at(-1);
  const sent = useSelect((state) => state.sent);
  const following = useFollowing(
    `${messages[0]?.id} ${messages[1]?.id}`,
    `${last?.id} ${last?.reply?.text.length}`,
    messages.some((message) => message.id === sent) ? sent : undefined,
  );
  const today = now();
  return (
    <div class="timeline-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard */}
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

/** Distance from the end, in pixels, up to which the person counts as being at the end. */
const NEAR_PX = 48;

/** Scroll position of the box when it was last measured. */
interface ScrollState {
  top: number;
  height: number;
  atEnd: boolean;
}

/**
 * Keeps the list of messages scrolled to its end while the person is at the end or has just sent a message. Otherwise,
 * the visible messages stay where they are, even when older ones are added above them. `below` is true while there are
 * new messages below the visible ones.
 * @param oldest key that changes when messages are added above
 * @param newest key that changes when messages are added below, or the last message grows
 * @param sent id of the person's latest message if this list shows it
 */
function useFollowing(oldest: string, newest: string, sent: string | undefined) {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const scroll = useRef<ScrollState>({ top: 0, height: 0, atEnd: true });
  const seen = useRef(newest);
  const [below, setBelow] = useState(false);

  const toEnd = useCallback(() => {
    const box = frame.current;
    if (box) box.scrollTop = box.scrollHeight;
    scroll.current.atEnd = true;
    setBelow(false);
  }, []);

  useLayoutEffect(() => {
    const box = frame.current;
    const { top, height, atEnd } = scroll.current;
    if (box && !atEnd) box.scrollTop = top + box.scrollHeight - height;
  }, [oldest]);

  useEffect(() => {
    if (seen.current === newest) return;
    seen.current = newest;
    if (!scroll.current.atEnd) setBelow(true);
  }, [newest]);

  const lastSent = useRef(sent);
  useLayoutEffect(() => {
    if (sent === undefined || sent === lastSent.current) return;
    lastSent.current = sent;
    toEnd();
  }, [sent]);

  useEffect(() => {
    const box = frame.current;
    const inner = content.current;
    return box && inner ? watch(box, inner, scroll.current, () => setBelow(false)) : undefined;
  }, []);

  return { frame, content, below, toEnd };
}

/** Tracks the scroll position. A person leaves the end only by scrolling up; growing content does not count. */
function watch(box: HTMLElement, inner: HTMLElement, scroll: ScrollState, arrived: () => void): () => void {
  const look = () => {
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (near) {
      scroll.atEnd = true;
      arrived();
    } else if (box.scrollTop < scroll.top) scroll.atEnd = false;
    scroll.top = box.scrollTop;
    scroll.height = box.scrollHeight;
  };
  const grown = new ResizeObserver(() => {
    if (scroll.atEnd) box.scrollTop = box.scrollHeight;
    look();
  });
  grown.observe(inner);
  grown.observe(box);
  box.addEventListener('scroll', look, { passive: true });
  return () => {
    grown.disconnect();
    box.removeEventListener('scroll', look);
  };
}

import { type ComponentChildren, Fragment, type RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { now } from '../clock.ts';
import type { RoomPlace } from '../state/model.ts';
import { markRead } from '../state/reading.ts';
import { useSelect } from '../state/store.ts';
import { dayOf } from '../state/time.ts';
import { Icon } from './icons.tsx';
import { Message } from './message.tsx';

/** Maximum time between two messages of one author that are shown as a group, in milliseconds. */
const JOIN_MS = 5 * 60_000;

interface TimelineProps {
  readonly place: RoomPlace;
  readonly label: string;
  readonly messages: readonly MessageView[];
  readonly days: boolean;
  readonly before?: ComponentChildren;
  readonly under: ((message: MessageView) => ComponentChildren) | undefined;
}

export function Timeline({ place, label, messages, days, before, under }: TimelineProps) {
  const last = messages.at(-1);
  const sent = useSelect((state) => state.sent);
  const following = useFollowing(
    `${messages[0]?.id} ${messages[1]?.id}`,
    `${last?.id} ${last?.reply?.text.length}`,
    messages.some((message) => message.id === sent) ? sent : undefined,
  );
  const found = useSelect((state) => state.found);
  following.useFound(messages.some((message) => message.id === found?.id) ? found : undefined);
  useMarkRead(place, following.frame, following.away);
  const fresh = useSelect((state) => state.fresh);
  const freshIds = useMemo(() => new Set(fresh.map(({ id }) => id)), [fresh]);
  const firstNew = messages.find(({ id }) => freshIds.has(id))?.id;
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
                {message.id === firstNew && <Day name="New" fresh />}
                <Message
                  message={message}
                  joined={day === undefined && message.id !== firstNew && isJoined(previous, message)}
                  newest={message === last}
                  thread={place.thread}
                >
                  {under?.(message)}
                </Message>
              </Fragment>
            );
          })}
        </div>
      </div>
      {following.away && (
        <button type="button" class={`pill ${following.below ? '' : 'plain'}`} onClick={following.toEnd}>
          <Icon name="down" size={15} /> {following.below ? 'New messages' : 'Jump to the newest'}
        </button>
      )}
    </div>
  );
}

/** Marks the messages of a room or thread as read while the person sees its end. */
function useMarkRead({ room, thread }: RoomPlace, frame: RefObject<HTMLElement | null>, away: boolean): void {
  const hidden = useSelect((state) => state.hidden);
  const unread = useSelect((state) => state.unread[room]);
  // On a narrow screen, an open thread or panel hides the room.
  const open = useSelect((state) => state.place.thread);
  const panel = useSelect((state) => state.panel);
  useEffect(() => {
    if (!hidden && !away && frame.current?.checkVisibility()) markRead(thread ? { room, thread } : { room });
  }, [hidden, away, unread, open, panel]);
}

function Day({ name, fresh = false }: { name: string; fresh?: boolean }) {
  return (
    <div class={`day ${fresh ? 'fresh' : ''}`}>
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
 * new messages below the visible ones. `away` is true while the person has scrolled up.
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
  const [away, setAway] = useState(false);

  const toEnd = useCallback(() => {
    const box = frame.current;
    if (box) box.scrollTop = box.scrollHeight;
    scroll.current.atEnd = true;
    setBelow(false);
    setAway(false);
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
    return box && inner
      ? watch(box, inner, scroll.current, (atEnd) => {
          setAway(!atEnd);
          if (atEnd) setBelow(false);
        })
      : undefined;
  }, []);

  /** Focuses the message that was found, and scrolls to it, after the dialog and the composer have moved the focus. */
  const useFound = (found: { readonly id: string } | undefined) =>
    useEffect(() => {
      const message =
        found && frame.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(found.id)}"]`);
      if (!message) return;
      scroll.current.atEnd = false;
      message.focus({ preventScroll: true });
      message.scrollIntoView({ block: 'center' });
    }, [found]);

  return { frame, content, below, away, toEnd, useFound };
}

/** Tracks the scroll position. A person leaves the end only by scrolling up; growing content does not count. */
function watch(
  box: HTMLElement,
  inner: HTMLElement,
  scroll: ScrollState,
  moved: (atEnd: boolean) => void,
): () => void {
  const look = () => {
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (near) scroll.atEnd = true;
    else if (box.scrollTop < scroll.top) scroll.atEnd = false;
    moved(scroll.atEnd);
    scroll.top = box.scrollTop;
    scroll.height = box.scrollHeight;
  };
  const grown = new ResizeObserver(() => {
    if (scroll.atEnd) box.scrollTop = box.scrollHeight;
    // The field of an edit makes its message grow, and must stay in sight.
    inner.querySelector('textarea:focus')?.scrollIntoView({ block: 'nearest' });
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

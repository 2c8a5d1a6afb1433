import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Nearer the end than this counts as at the end. */
const NEAR_PX = 48;

export interface Following {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Something came while the person was reading further up. */
  readonly below: boolean;
  readonly toEnd: () => void;
}

/** What a timeline shows: its oldest message, and a word that is another whenever something was added at its end. */
export interface Extent {
  readonly oldest: string;
  readonly newest: string;
  /** The person's latest message if this timeline shows it. */
  readonly sent: string | undefined;
}

/** How the box stood when last looked at. */
interface Stand {
  top: number;
  height: number;
  atEnd: boolean;
}

/**
 * Keeps a timeline scrolled to its end while the person is there or has just sent a message. Otherwise the visible
 * messages stay in place, also when older ones are added above them.
 */
export function useFollowing({ oldest, newest, sent }: Extent): Following {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stand = useRef<Stand>({ top: 0, height: 0, atEnd: true });
  const seen = useRef(newest);
  const [below, setBelow] = useState(false);

  const toEnd = useCallback(() => {
    const box = frame.current;
    if (box) box.scrollTop = box.scrollHeight;
    stand.current.atEnd = true;
    setBelow(false);
  }, []);

  useLayoutEffect(() => {
    const box = frame.current;
    const { top, height, atEnd } = stand.current;
    if (box && !atEnd) box.scrollTop = top + box.scrollHeight - height;
  }, [oldest]);

  useEffect(() => {
    if (seen.current === newest) return;
    seen.current = newest;
    if (!stand.current.atEnd) setBelow(true);
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
    return box && inner ? watch(box, inner, stand.current, () => setBelow(false)) : undefined;
  }, []);

  return { frame, content, below, toEnd };
}

/** Growth alone never takes the person from the end: only moving up does. */
function watch(box: HTMLElement, inner: HTMLElement, stand: Stand, arrived: () => void): () => void {
  const look = () => {
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (near) {
      stand.atEnd = true;
      arrived();
    } else if (box.scrollTop < stand.top) stand.atEnd = false;
    stand.top = box.scrollTop;
    stand.height = box.scrollHeight;
  };
  const grown = new ResizeObserver(() => {
    if (stand.atEnd) box.scrollTop = box.scrollHeight;
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

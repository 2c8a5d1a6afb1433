import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Nearer the end than this counts as at the end. */
const NEAR_PX = 48;

export interface Following {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Something came while the person was reading further up. */
  readonly below: boolean;
  readonly toEnd: () => void;
}

/**
 * Keeps a timeline at its end while the person is there, and leaves it alone otherwise.
 * `key` names the timeline; `newest` changes whenever something was added.
 */
export function useFollowing(key: string, newest: string): Following {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const seen = useRef(newest);
  const [below, setBelow] = useState(false);

  const toEnd = useCallback(() => {
    const box = frame.current;
    if (box) box.scrollTop = box.scrollHeight;
    atEnd.current = true;
    setBelow(false);
  }, []);

  useEffect(() => {
    seen.current = newest;
    toEnd();
  }, [key]);

  useEffect(() => {
    if (seen.current === newest) return;
    seen.current = newest;
    if (!atEnd.current) setBelow(true);
  }, [newest]);

  useEffect(() => watch({ frame, content, atEnd, setBelow }), [toEnd]);

  return { frame, content, below, toEnd };
}

interface Watched {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: RefObject<boolean>;
  readonly setBelow: (below: boolean) => void;
}

function watch({ frame, content, atEnd, setBelow }: Watched): (() => void) | undefined {
  const box = frame.current;
  const inner = content.current;
  if (!box || !inner) return undefined;
  const scrolled = () => {
    atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (atEnd.current) setBelow(false);
  };
  const grown = new ResizeObserver(() => {
    if (atEnd.current) box.scrollTop = box.scrollHeight;
  });
  grown.observe(inner);
  grown.observe(box);
  box.addEventListener('scroll', scrolled, { passive: true });
  return () => {
    grown.disconnect();
    box.removeEventListener('scroll', scrolled);
  };
}

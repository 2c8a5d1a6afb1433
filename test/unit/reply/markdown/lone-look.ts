/**
 * A slow reference for `LookAhead`. `LookAhead` finds the ends of all links and code in one pass over a line; this
 * reference reads the line again for each opener.
 */

import {
  type Found,
  findCode,
  findTarget,
  type Link,
  MAX_HOLD_CHARS,
  runEnd,
  undecided,
  type Window,
} from '../../../../src/reply/markdown/scan.ts';

export function windowAt(source: string, at: number, ended: boolean): Window {
  const limit = Math.min(source.length, at + MAX_HOLD_CHARS);
  for (let end = at; end < limit; end++) {
    if (source[end] === '\n' || source[end] === '\r') return { source, end, closed: true };
  }
  return { source, end: limit, closed: ended || limit === at + MAX_HOLD_CHARS };
}

function labelEnd(window: Window, at: number): Found<{ readonly to: number }> {
  const { source, end } = window;
  const images: boolean[] = [];
  for (let i = at + 1; i < end; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '`') {
      const code = findCode(window, i);
      if (code === 'held') return 'held';
      i = (code === 'text' ? runEnd(source, i, end) : code.end) - 1;
    } else if (char === '[') images.push(source[i - 1] === '!');
    else if (char === ']') {
      const image = images.pop();
      if (image === undefined) return { to: i };
      if (!image && i + 1 === end && !window.closed) return 'held';
      if (!image && i + 1 < end && source[i + 1] === '(') return 'text';
    }
  }
  return undecided(window);
}

export function loneLink(window: Window, at: number): Found<Link> {
  const { source, end } = window;
  const label = labelEnd(window, at);
  if (label === 'text' || label === 'held') return label;
  const open = label.to + 1;
  if (open === end) return undecided(window);
  if (source[open] !== '(') return 'text';
  const target = findTarget(source.slice(open + 1, end));
  if (target === 'open') return undecided(window);
  if (target === 'none') return 'text';
  return {
    label: source.slice(at + 1, label.to),
    destination: target.destination,
    end: open + 1 + target.length,
  };
}

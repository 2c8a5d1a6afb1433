/** Times, durations, sizes and shortened texts as people write them. */

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayName = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const dayAndYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' });

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function hourOf(at: number): string {
  return clock.format(at);
}

export function fullTime(at: number): string {
  return full.format(at);
}

/** Returns "Today", "Yesterday", "Monday, March 3", or a date with its year. */
export function dayOf(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return Math.abs(days) < 300 ? dayName.format(at) : dayAndYear.format(at);
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** Returns "just now", "4 min ago", "3 h ago", or the day. */
export function agoOf(at: number, now: number): string {
  const ms = now - at;
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return dayOf(at, now);
}

/** Returns a duration such as "240 ms", "2.3 s" or "1 min 5 s". */
export function lengthOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a size such as "812 B", "34 KB" or "1.2 MB". */
export function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** Returns the beginning of a text, with an ellipsis if the text is longer than `chars` UTF-16 units. */
export const shortened = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars).trimEnd().toWellFormed()}…` : text;

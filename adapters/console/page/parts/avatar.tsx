import { useSelect } from '../state/store.ts';
import { Mark } from './icons.tsx';

/** Avatars with initials. An agent has a rounded square, and a person has a circle. */

const HUES = 8;

function hashOf(text: string): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 100_003;
  return hash;
}

/** Returns the initials of the first and the last word, or the first two letters of a single word. */
function initials(name: string): string {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '');
  const [first = '?', second = ''] = [...(words[0] ?? '')];
  const [last = second] = words.length > 1 ? [...(words.at(-1) ?? '')] : [];
  return (first + last).toUpperCase();
}

interface AvatarProps {
  readonly kind: 'person' | 'agent';
  readonly id: string;
  readonly name: string;
  readonly size?: 'small' | 'medium';
}

export function Avatar({ kind, id, name, size = 'medium' }: AvatarProps) {
  const bot = useSelect((state) => state.setup?.botName);
  const position = useSelect((state) =>
    kind === 'agent' ? (state.setup?.agents.findIndex((agent) => agent.name === name) ?? -1) : -1,
  );
  if (kind === 'agent' && name === bot) return <Mark size={size === 'small' ? 22 : 36} />;
  // Neighbours in the list of agents differ, and so do up to eight agents.
  const hue = position < 0 ? hashOf(kind === 'agent' ? name : id) : position;
  return (
    <span class={`avatar ${kind} ${size}`} data-hue={hue % HUES} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

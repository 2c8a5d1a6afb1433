import { useSelect } from '../state/store.ts';
import { Mark } from './icons.tsx';

/** Avatars. An agent has a symbol on a rounded square; a person has initials in a circle. */

const sigils = [
  'M6 12a6 6 0 1 1 12 0M9 12a3 3 0 1 1 6 0M4 16h16',
  'M12 4v16M4 12h16M6.3 6.3l11.4 11.4M17.7 6.3 6.3 17.7',
  'M4 9c3-4 5 4 8 0s5 4 8 0M4 15c3-4 5 4 8 0s5 4 8 0',
  'M12 4 20 18.5H4zM12 11v4',
  'M5 18v-4h4.5v-4.5H14V5h5',
  'M12 5a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM5 12h14M12 5c4 4 4 10 0 14M12 5c-4 4-4 10 0 14',
];
const HUES = 8;

function hashOf(text: string): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 100_003;
  return hash;
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const first = words[0] ?? '';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  return ([...first][0] ?? '?').toUpperCase() + ([...last][0] ?? '').toUpperCase();
}

interface AvatarProps {
  readonly kind: 'person' | 'agent';
  readonly id: string;
  readonly name: string;
  readonly size?: 'small' | 'medium';
}

export function Avatar({ kind, id, name, size = 'medium' }: AvatarProps) {
  const bot = useSelect((state) => state.setup?.botName);
  if (kind === 'agent' && name === bot) return <Mark size={size === 'small' ? 22 : 36} />;
  const hash = hashOf(kind === 'agent' ? name : id);
  return (
    <span class={`avatar ${kind} ${size}`} data-hue={hash % HUES} aria-hidden="true">
      {kind === 'agent' ? (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={sigils[(hash >> 4) % sigils.length]} />
        </svg>
      ) : (
        initials(name)
      )}
    </span>
  );
}

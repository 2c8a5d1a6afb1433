import { useMemo } from 'preact/hooks';
import { safeDestination } from '../../../../src/kit.ts';
import { useSelect } from '../state/store.ts';

const PIECES = /(@[\p{L}\p{N}_.-]+|https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/u;

/** What a person wrote: as they wrote it, with mentions marked and addresses open. */
export function PersonText({ text }: { text: string }) {
  const setup = useSelect((state) => state.setup);
  const names = useMemo(
    () => new Set([setup?.botName ?? '', ...(setup?.agents ?? []).map((agent) => agent.name)].map(lower)),
    [setup],
  );
  if (text === '') return null;
  return <p class="person-text">{text.split(PIECES).map((piece) => show(piece, names))}</p>;
}

function lower(text: string): string {
  return text.toLowerCase();
}

function show(piece: string, names: ReadonlySet<string>) {
  if (piece.startsWith('@') && names.has(lower(piece.slice(1)))) return <span class="mention">{piece}</span>;
  const link = piece.startsWith('http') ? safeDestination(piece) : undefined;
  if (!link) return piece;
  return (
    <a href={link.href} target="_blank" rel="noreferrer noopener nofollow">
      {piece}
    </a>
  );
}

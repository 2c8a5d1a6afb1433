import type { SourceView } from '../../wire.ts';
import { openPanel } from '../state/session.ts';
import { walkItems } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';

export const kinds: Readonly<
  Record<SourceView['kind'], { readonly icon: IconName; readonly label: string }>
> = {
  document: { icon: 'file', label: 'Document' },
  image: { icon: 'image', label: 'Image' },
  QnA: { icon: 'thread', label: 'Question and answer' },
  other: { icon: 'open', label: 'Source' },
};

export function openSource(turn: string, source: string): void {
  openPanel({ kind: 'sources', turn, source });
}

/** The list of sources under an answer, numbered as in the answer's text. */
export function SourceList({ turn, sources }: { turn: string; sources: readonly SourceView[] }) {
  return (
    <div class="sources">
      <ol aria-label="Sources" onKeyDown={walkItems}>
        {sources.map((source) => (
          <li key={source.key}>
            <button type="button" class="source-row" data-item onClick={() => openSource(turn, source.key)}>
              <span class="source-number">{source.number}</span>
              <Icon name={kinds[source.kind].icon} size={15} />
              <span class="source-title">{source.title}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

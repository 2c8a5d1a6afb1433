import { useLayoutEffect, useRef } from 'preact/hooks';
import type { SourceView } from '../../wire.ts';
import { replyOf } from '../state/select.ts';
import { sourceLink } from '../state/source-link.ts';
import { show, useSelect } from '../state/store.ts';
import { OutLink } from './controls.tsx';
import { walkItems } from './focus.ts';
import { Icon } from './icons.tsx';
import { Passage } from './markdown.tsx';
import { PanelFrame } from './panel-frame.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { kinds } from './source-list.tsx';

/** Shows an answer's sources with their passages, best first. Scrolls to the source that was chosen. */
export function SourcesPanel({ turn, source }: { turn: string; source: string | undefined }) {
  const sources = useSelect((state) => replyOf(state, turn)?.reply.sources);
  if (!sources) return null;
  return (
    <PanelFrame title="Sources" note={sources.length === 1 ? '1 source' : `${sources.length} sources`}>
      <ol class="source-cards" onKeyDown={walkItems}>
        {sources.map((one) => (
          <SourceCard key={one.key} turn={turn} source={one} chosen={one.key === source} />
        ))}
      </ol>
    </PanelFrame>
  );
}

function SourceCard({ turn, source, chosen }: { turn: string; source: SourceView; chosen: boolean }) {
  const card = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (!chosen) return;
    card.current?.scrollIntoView({ block: 'start' });
    card.current?.focus({ preventScroll: true });
  }, [chosen]);
  const fragments = source.fragments.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1));
  const link = sourceLink(source.link, location.hostname);
  const share = () => show({ dialog: <ShareDialog turn={turn} source={source.key} /> });
  return (
    <li ref={card} class={`source-card ${chosen ? 'chosen' : ''}`} tabIndex={-1} data-item>
      <header>
        <span class="source-number">{source.number}</span>
        <div>
          <h3>{source.title}</h3>
          <p class="quiet">
            {kinds[source.kind].label}
            {source.score !== undefined && ` · best match ${percent(source.score)}`}
          </p>
        </div>
      </header>
      <ul class="fragments">
        {fragments.map((fragment, index) => (
          <li key={index}>
            {fragment.score !== undefined && <Score score={fragment.score} />}
            <Passage text={fragment.text} />
          </li>
        ))}
      </ul>
      <footer>
        <button type="button" class="button small" onClick={share}>
          <Icon name="share" size={15} /> Share
        </button>
        {link && (
          <OutLink to={link} class="tool">
            <Icon name="open" size={15} /> Open
          </OutLink>
        )}
      </footer>
    </li>
  );
}

function percent(score: number): string {
  return `${Math.round(Math.min(Math.max(score, 0), 1) * 100)}%`;
}

function Score({ score }: { score: number }) {
  return (
    <span class="score" title={`Relevance ${score.toFixed(3)}`}>
      <meter min={0} max={1} value={score} aria-label="Relevance" />
      {percent(score)}
    </span>
  );
}

import type { ReplyView } from '../../wire.ts';
import { suggest } from '../state/acts.ts';
import { Act } from './act.tsx';

/** Questions that may be asked next. A press asks one as the person. */
export function Suggestions({ turn, suggestions }: Pick<ReplyView, 'turn' | 'suggestions'>) {
  if (suggestions.length === 0) return null;
  return (
    <section class="suggestions" aria-label="Suggested questions">
      {suggestions.map((text) => (
        <Act key={text} class="suggestion" busy={text} run={() => suggest(turn, text)}>
          {text}
        </Act>
      ))}
    </section>
  );
}

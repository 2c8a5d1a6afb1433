import type { MessageView } from '../../wire.ts';
import { suggest } from '../state/acts.ts';
import { Act } from './act.tsx';

/** What one might ask next; pressing one asks it as the person. */
export function Suggestions({
  message,
  suggestions,
}: {
  message: MessageView;
  suggestions: readonly string[];
}) {
  if (suggestions.length === 0) return null;
  return (
    <section class="suggestions" aria-label="Suggested questions">
      {suggestions.map((text) => (
        <Act key={text} class="suggestion" busy={text} run={() => suggest(message, text)}>
          {text}
        </Act>
      ))}
    </section>
  );
}

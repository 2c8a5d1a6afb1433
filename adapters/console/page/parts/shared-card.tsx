import { safeDestination } from '../../../../src/kit.ts';
import type { MessageView, SharedView } from '../../wire.ts';
import { go } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Icon } from './icons.tsx';
import { Passage } from './markdown.tsx';
import { kindIcons, kindWords } from './source-list.tsx';

const QUESTION_CHARS = 90;

/** A source that somebody put into the conversation. */
export function SharedCard({ shared, room }: { shared: SharedView; room: MessageView['room'] }) {
  const { source, from } = shared;
  const rooms = useSelect((state) => state.rooms);
  const origin = rooms.find((one) => one.id === from.room);
  const link = source.link ? safeDestination(source.link) : undefined;
  const thread = from.thread === 'direct' ? {} : { thread: from.thread };
  return (
    <article class="shared" aria-label={`Shared source: ${source.title}`}>
      <p class="shared-kind">
        <Icon name={kindIcons[source.kind]} size={15} /> {kindWords[source.kind]} · from {from.agent}
      </p>
      <p class="shared-title">
        {link ? (
          <a href={link.href} target="_blank" rel="noreferrer noopener nofollow" title={link.host}>
            {source.title}
          </a>
        ) : (
          source.title
        )}
      </p>
      {source.fragments[0] && (
        <div class="shared-excerpt">
          <Passage text={source.fragments[0].text} />
        </div>
      )}
      {origin && (
        <button type="button" class="shared-origin" onClick={() => go({ room: from.room, ...thread })}>
          <span class="quiet">Answer to</span> “{excerpt(from.question)}”
          {from.room !== room && origin.kind === 'room' && <span class="quiet"> in #{origin.name}</span>}
        </button>
      )}
    </article>
  );
}

function excerpt(text: string): string {
  return text.length > QUESTION_CHARS ? `${text.slice(0, QUESTION_CHARS).trimEnd()}…` : text;
}

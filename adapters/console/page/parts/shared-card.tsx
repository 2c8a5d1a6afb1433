import type { MessageView, SharedView, SourceView } from '../../wire.ts';
import { viewMarks } from '../state/readable.ts';
import { isOpenTo } from '../state/select.ts';
import { go } from '../state/session.ts';
import { sourceLink } from '../state/source-link.ts';
import { useSelect } from '../state/store.ts';
import { shortened } from '../state/time.ts';
import { OutLink } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Passage } from './markdown.tsx';
import { kinds } from './source-list.tsx';

const QUESTION_CHARS = 90;

/** Shows a source or an answer that a person shared. */
export function SharedCard({ shared, room }: { shared: SharedView; room: MessageView['room'] }) {
  const { source, answer, from } = shared;
  const { icon, label } = source ? kinds[source.kind] : ({ icon: 'thread', label: 'Answer' } as const);
  return (
    <article class="shared" aria-label={source ? `Shared source: ${source.title}` : 'Shared answer'}>
      <p class="shared-kind">
        <Icon name={icon} size={15} /> {label} · from {from.agent}
      </p>
      {source && <SharedSource source={source} />}
      {answer && <SharedAnswer answer={answer} />}
      <Origin from={from} room={room} />
    </article>
  );
}

function SharedSource({ source }: { source: SourceView }) {
  return (
    <>
      <p class="shared-title">
        <SourceLink source={source} />
      </p>
      {source.fragments[0] && (
        <div class="shared-excerpt">
          <Passage text={source.fragments[0].text} />
        </div>
      )}
    </>
  );
}

function SharedAnswer({ answer }: { answer: SharedView['answer'] & object }) {
  return (
    <>
      <Passage text={answer.text} />
      {answer.sources.length > 0 && (
        <ol class="shared-sources" aria-label="Sources of the shared answer">
          {answer.sources.map((source) => (
            <li key={source.key}>
              <span class="source-number">{viewMarks(source).join(', ')}</span> <SourceLink source={source} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function SourceLink({ source }: { source: SourceView }) {
  const link = sourceLink(source.link, location.hostname);
  return link ? <OutLink to={link}>{source.title}</OutLink> : source.title;
}

/**
 * Shows the question that a shared source or answer belongs to. It is a link if the person may see the question's room.
 */
function Origin({ from, room }: { from: SharedView['from']; room: string }) {
  const origin = useSelect((state) =>
    state.rooms.find((one) => one.id === from.room && isOpenTo(one, state.who)),
  );
  const words = (
    <>
      <span class="quiet">Answer to</span> “{shortened(from.question, QUESTION_CHARS)}”
    </>
  );
  if (!origin) return <p class="shared-question">{words}</p>;
  const thread = from.thread === 'direct' ? {} : { thread: from.thread };
  return (
    <button type="button" class="shared-origin" onClick={() => go({ room: from.room, ...thread })}>
      {words}
      {from.room !== room && origin.kind === 'room' && <span class="quiet"> in #{origin.name}</span>}
    </button>
  );
}

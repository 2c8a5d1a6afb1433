import { Avatar } from './avatar.tsx';
import type { Mentions } from './use-mentions.ts';

interface MentionListProps {
  readonly id: string;
  readonly mentions: Mentions;
  readonly onChoose: (index: number) => void;
}

/** Whom one can ask, above the field; the field keeps the focus. */
export function MentionList({ id, mentions, onChoose }: MentionListProps) {
  return (
    <div class="mention-list" role="listbox" id={id} aria-label="Whom to ask">
      {mentions.candidates.map((candidate, index) => (
        <div
          key={candidate.name}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === mentions.active}
          onMouseEnter={() => mentions.setActive(index)}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(index);
          }}
        >
          <Avatar kind="agent" id={candidate.name} name={candidate.name} size="small" />
          <span class="mention-name">{candidate.name}</span>
          <span class="mention-about">{candidate.about}</span>
        </div>
      ))}
    </div>
  );
}

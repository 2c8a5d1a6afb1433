import { useLayoutEffect } from 'preact/hooks';
import type { TurnLine } from '../../../../src/kit/ladder.ts';
import type { TurnView } from '../../operate-wire.ts';
import { fullTime, lengthOf } from '../state/time.ts';
import { CopyButton } from './controls.tsx';
import { Notice } from './notice.tsx';
import { Loaded } from './operate-figures.tsx';
import { reasons, stateWord } from './operate-turns.tsx';
import { PanelFrame } from './panel-frame.tsx';
import { Receipt } from './receipt-panel.tsx';

/** One turn: its facts and its timeline. */
export function TurnPanel({ turn, onClose }: { readonly turn: string; readonly onClose: () => void }) {
  useLayoutEffect(() => {
    const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && onClose();
    window.addEventListener('keydown', closeOnEscape);
    return () => window.removeEventListener('keydown', closeOnEscape);
  }, [onClose]);
  const copy = <CopyButton text={() => location.href} label="Copy the link to this turn" />;
  return (
    <PanelFrame title="Turn" note={turn} tool={copy} onClose={onClose}>
      <Loaded<TurnView> path={`turns/${encodeURIComponent(turn)}`} query="">
        {({ line, entries }) => (
          <>
            {line && <Facts line={line} />}
            {!line && (
              <Notice tone="info" text="Neither the inbox nor the audit contains this turn any more." />
            )}
            {entries.length > 0 && <Receipt entries={entries} />}
            {entries.length === 0 && (
              <p class="quiet">There is no timeline. Timelines are kept for a day after the end of a turn.</p>
            )}
          </>
        )}
      </Loaded>
    </PanelFrame>
  );
}

function Facts({ line }: { readonly line: TurnLine }) {
  const { state, code, agent, account, channel, tenant, room, kind, person, at, ms, why } = line;
  const facts = {
    State: stateWord(state),
    'Waits because': why && reasons[why],
    'Error code': code,
    Agent: agent,
    Account: account,
    Place: [channel, tenant, room, kind].filter((word) => word !== undefined).join(' · '),
    Person: person,
    Time: fullTime(at),
    Duration: ms === undefined ? undefined : lengthOf(ms),
    Question: line.questionChars === undefined ? undefined : `${line.questionChars} characters`,
    Answer: line.answerChars === undefined ? undefined : `${line.answerChars} characters`,
    Files: line.files,
    Sources: line.sources,
    Attempt: line.attempt,
    Replica: line.replica,
  };
  return (
    <dl class="turn-facts">
      {Object.entries(facts).map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TurnLine } from '../../../../src/kit/ladder.ts';
import type { TurnView } from '../../operate-wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { fullTime, lengthOf } from '../state/time.ts';
import { CopyButton, IconButton } from './controls.tsx';
import { useReturnedFocus } from './focus.ts';
import { Notice } from './notice.tsx';
import { reasons, stateWord } from './operate-turns.tsx';
import { Receipt } from './receipt-panel.tsx';

/** One turn: its facts and its timeline. */
export function TurnPanel({ turn, onClose }: { readonly turn: string; readonly onClose: () => void }) {
  const [view, setView] = useState<TurnView>();
  const [failure, setFailure] = useState<string>();
  const panel = useRef<HTMLElement>(null);
  useReturnedFocus();
  useLayoutEffect(() => panel.current?.querySelector('button')?.focus(), []);
  useEffect(() => {
    const control = new AbortController();
    api.operate<TurnView>(`turns/${encodeURIComponent(turn)}`, control.signal).then(setView, (thrown) => {
      if (!control.signal.aborted) setFailure(sentenceOf(thrown));
    });
    return () => control.abort();
  }, []);
  useLayoutEffect(() => {
    const pressed = ({ key }: KeyboardEvent) => key === 'Escape' && onClose();
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [onClose]);
  return (
    <section class="operate-turn" ref={panel} aria-label="Turn">
      <header class="pane-head">
        <div class="pane-title">
          <h2>Turn</h2>
          <p>{turn}</p>
        </div>
        <CopyButton text={() => location.href} label="Copy the link to this turn" />
        <IconButton icon="close" label="Close the turn" onClick={onClose} />
      </header>
      <div class="panel-body">
        {failure && <Notice alert tone="error" text={failure} />}
        {view?.line && <Facts line={view.line} />}
        {view && !view.line && (
          <Notice tone="info" text="Neither the inbox nor the audit contains this turn any more." />
        )}
        {view && view.entries.length > 0 && <Receipt entries={view.entries} />}
        {view?.entries.length === 0 && (
          <p class="quiet">There is no timeline. Timelines are kept for a day after the end of a turn.</p>
        )}
      </div>
    </section>
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

import { useState } from 'preact/hooks';
import type { TurnLine, WaitReason } from '../../../../src/kit/ladder.ts';
import type { TurnsView } from '../../operate-wire.ts';
import { now } from '../clock.ts';
import { api, operateExport } from '../net/api.ts';
import { addressTo, ENDS, type OperatePlace, queryOf } from '../state/operate.ts';
import { agoOf, fullTime, lengthOf } from '../state/time.ts';
import { Act } from './controls.tsx';
import { Icon } from './icons.tsx';
import { useWork } from './notice.tsx';
import { Empty, Loaded, Part, Searched } from './operate-figures.tsx';

const OPEN = { waiting: 'Waits', running: 'Runs' };

export const stateWord = (state: string): string =>
  ({ ...ENDS, ...OPEN, done: 'Done', refused: 'Refused', unconfirmed: 'Unconfirmed' })[state] ?? state;

/** Why a turn waits. */
export const reasons: Readonly<Record<WaitReason, string>> = {
  thread: 'An earlier question of its thread has not ended',
  platform: 'The agent platform is down; it is asked when the platform answers again',
  channel: 'Its channel is switched off',
  replica: 'No replica owns its workspace',
  next: 'It is next: all turns that may run at once are running, or it is just being claimed',
};

/** A list of turns. Each line is a link to the turn with its timeline. */
export function TurnList({
  lines,
  place,
}: {
  readonly lines: readonly TurnLine[];
  readonly place: OperatePlace;
}) {
  const open = place.filters.get('turn');
  return (
    <ul class="turn-list">
      {lines.map((line, nth) => (
        <li key={`${line.turn} ${nth}`}>
          <a
            href={addressTo(place, { turn: line.turn })}
            aria-current={line.turn !== undefined && line.turn === open ? 'true' : undefined}
          >
            <Line line={line} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Line({ line }: { readonly line: TurnLine }) {
  const { state, agent, channel, tenant, room, person, at, ms, code, why, action, phase } = line;
  return (
    <>
      <span class={`turn-state ${state}`}>{stateWord(state)}</span>
      <span class="turn-what">
        <b>{agent ?? (state in OPEN ? 'Agent not chosen yet' : 'No agent')}</b>
        {action !== 'ask' && ` · ${action}`}
        {code !== undefined && <code>{code}</code>}
        {phase !== undefined && <span class="quiet"> · {phase}</span>}
      </span>
      <span class="turn-where quiet">
        {channel} {tenant} <span>{room}</span>
      </span>
      <span class="turn-who">{person}</span>
      <span class="turn-when quiet" title={fullTime(at)}>
        {agoOf(at, now())}
        {ms !== undefined && ` · took ${lengthOf(ms)}`}
      </span>
      {why !== undefined && <span class="turn-why quiet">{reasons[why]}</span>}
    </>
  );
}

export function TurnsTab({ place }: { readonly place: OperatePlace }) {
  const query = queryOf(place.filters);
  return (
    <Part
      title="Ended turns"
      note={
        <>
          <a class="tool" href={operateExport('csv', query)} download>
            <Icon name="file" size={15} /> CSV
          </a>
          <a class="tool" href={operateExport('jsonl', query)} download>
            <Icon name="file" size={15} /> JSON lines
          </a>
        </>
      }
    >
      <Loaded<TurnsView> path="turns" place={place}>
        {(view) => <Pages key={query} first={view} place={place} />}
      </Loaded>
      <p class="quiet operate-bound">An export contains at most the newest 10,000 turns.</p>
    </Part>
  );
}

/** The first page of turns, and the pages that the person asked for. */
function Pages({ first, place }: { readonly first: TurnsView; readonly place: OperatePlace }) {
  const [more, setMore] = useState<readonly TurnsView[]>([]);
  const pages = [first, ...more];
  const last = pages.at(-1) ?? first;
  const { run, failure } = useWork(async () => {
    const query = queryOf(place.filters);
    setMore([...more, await api.operate<TurnsView>(`turns?${query}&after=${last.next}`)]);
  });
  const lines = pages.flatMap((page) => page.lines);
  return (
    <>
      {lines.length === 0 && <Empty text="No turn ended in this time with these filters." />}
      <TurnList lines={lines} place={place} />
      {last.next !== undefined && (
        <Act class="button small" busy="Reading" run={run}>
          Show older turns
        </Act>
      )}
      {failure && <p class="quiet">{failure}</p>}
      <Searched count={last.searched} what="records" />
    </>
  );
}

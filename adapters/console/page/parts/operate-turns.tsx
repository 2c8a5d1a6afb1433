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
import { type Columns, List, Searched } from './operate-figures.tsx';

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

export interface TabProps<View> {
  readonly view: View;
  readonly place: OperatePlace;
}

/** The columns of a list of turns. Each row is a link to the turn with its timeline. */
export const turnsAt = (place: OperatePlace): Columns<TurnLine> => ({
  State: ({ turn, state, at }) => (
    <a
      class={`turn-state ${state}`}
      href={addressTo(place, { turn })}
      title={fullTime(at)}
      aria-current={turn !== undefined && turn === place.filters.get('turn') ? 'true' : undefined}
    >
      {stateWord(state)}
    </a>
  ),
  Agent: ({ state, agent, action }) => (
    <>
      <b>{agent ?? (state in OPEN ? 'Agent not chosen yet' : 'No agent')}</b>
      {action !== 'ask' && ` · ${action}`}
    </>
  ),
  Details: ({ code, phase, why }) =>
    code === undefined ? (phase ?? (why && reasons[why])) : <code>{code}</code>,
  Place: ({ channel, tenant, room }) => [channel, tenant, room].filter(Boolean).join(' '),
  Person: ({ person }) => person,
  Time: ({ at, ms }) => agoOf(at, now()) + (ms === undefined ? '' : ` · took ${lengthOf(ms)}`),
});

/** The first page of ended turns, and the pages that the person asked for. */
export function Turns({ view: first, place }: TabProps<TurnsView>) {
  const query = queryOf(place.filters);
  const [more, setMore] = useState<readonly TurnsView[]>([]);
  const pages = [first, ...more];
  const last = pages.at(-1) ?? first;
  const { run, failure } = useWork(async () => {
    setMore([...more, await api.operate<TurnsView>(`turns?${query}&after=${last.next}`)]);
  });
  const exportTo = (format: 'csv' | 'jsonl', label: string) => (
    <a class="tool" href={operateExport(format, query)} download>
      <Icon name="file" size={15} /> {label}
    </a>
  );
  const exports = [exportTo('csv', 'CSV'), exportTo('jsonl', 'JSON lines')];
  return (
    <List
      title="Ended turns"
      note={exports}
      rows={pages.flatMap(({ lines }) => lines)}
      columns={turnsAt(place)}
      none="No turn ended in this time with these filters."
    >
      {last.next !== undefined && (
        <Act class="button small" busy="Reading" run={run}>
          Show older turns
        </Act>
      )}
      {failure && <p class="quiet">{failure}</p>}
      <Searched count={last.searched} />
      <p class="quiet">An export contains at most the newest 10,000 turns.</p>
    </List>
  );
}

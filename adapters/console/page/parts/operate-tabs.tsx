/** The contents of the tabs of the operator's page. */

import type { CallBudget, TurnCount, WorkspaceStatus } from '../../../../src/kit/ladder.ts';
import type { FailuresView, FeedbackView, NowView, PeopleView } from '../../operate-wire.ts';
import { now } from '../clock.ts';
import { addressTo, type OperatePlace } from '../state/operate.ts';
import { agoOf, dayOf, lengthOf } from '../state/time.ts';
import { Empty, Loaded, Part, Searched, Table, Tile } from './operate-figures.tsx';
import { TurnList } from './operate-turns.tsx';

interface TabProps<T> extends PlaceProps {
  readonly view: T;
}

const UNANSWERED = ['failed', 'expired'];

const sum = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((all, { count }) => all + count, 0);
const failedOf = (counts: readonly TurnCount[]) => counts.filter(({ state }) => UNANSWERED.includes(state));
const number = (value: number): string => value.toLocaleString('en');
const share = (part: number, whole: number): string | undefined =>
  whole === 0 ? undefined : `${((part / whole) * 100).toFixed(1)} %`;

/** Groups counts by a name. The groups with the highest weight come first. */
const grouped = (
  counts: readonly TurnCount[],
  nameOf: (count: TurnCount) => string,
  weight: (counts: readonly TurnCount[]) => number,
) => [...Map.groupBy(counts, nameOf)].toSorted(([, one], [, other]) => weight(other) - weight(one));

interface PlaceProps {
  readonly place: OperatePlace;
}

/** Refreshes itself, because what runs now changes while a person looks at it. */
export const NowTab = ({ place }: PlaceProps) => (
  <Loaded<NowView> live path="now" place={place}>
    {(view) => <Now view={view} place={place} />}
  </Loaded>
);

function Now({ view, place }: TabProps<NowView>) {
  const { status, open, budgets, counted } = view;
  const { waiting, postponed = 0, running, oldestWaitingMs: oldest, replicas, workspaces } = status;
  const [ended, failed] = [sum(counted.counts), sum(failedOf(counted.counts))];
  const refused = budgets.reduce((all, budget) => all + budget.refused, 0);
  return (
    <>
      <dl class="tiles">
        <Tile label="Running" value={number(running)} />
        <Tile
          label="Waiting"
          value={number(waiting)}
          note={postponed > 0 ? `${number(postponed)} for the platform` : undefined}
          bad={postponed > 0}
        />
        <Tile label="Longest wait" value={oldest === undefined ? '–' : lengthOf(oldest)} />
        <Tile label="Ended" value={number(ended)} />
        <Tile label="No answer" value={number(failed)} note={share(failed, ended)} bad={failed > 0} />
        <Tile label="Calls refused in a day" value={number(refused)} bad={refused > 0} />
      </dl>
      <Part title="Running and waiting">
        {open.lines.length === 0 && <Empty text="Nothing runs or waits with these filters." />}
        <TurnList lines={open.lines} place={place} />
        {open.searched !== undefined && (
          <p class="quiet operate-bound">Only the {open.searched} oldest of each were read.</p>
        )}
      </Part>
      <Part title="Rate limits of the workspaces" note="Calls of the last minute, all processes together">
        <Budgets budgets={budgets} />
      </Part>
      <Part title="Replicas" note={replicas.length === 0 ? 'One process runs this bridge' : undefined}>
        {replicas.length > 0 && (
          <Table
            label="Replicas"
            columns={['Replica', 'Host', 'Version', 'Lease', 'Workspaces', 'Running', 'Takeovers']}
            rows={replicas.map(({ id, report, leaseMs, workspaces: own, running: turns }) => [
              <code key="id">{id.slice(0, 8)}</code>,
              report.host,
              report.version,
              lengthOf(leaseMs),
              own,
              turns,
              report.takeovers,
            ])}
          />
        )}
        {workspaces.length > 0 && <Workspaces workspaces={workspaces} />}
      </Part>
    </>
  );
}

const Workspaces = ({ workspaces }: { readonly workspaces: readonly WorkspaceStatus[] }) => (
  <Table
    label="Workspaces and their owners"
    columns={['Workspace', 'Owner', 'Waiting', 'Running']}
    rows={workspaces.map(({ channel, tenant, owner, waiting, running }) => [
      `${channel} ${tenant}`,
      owner === undefined ? <span class="warn">No replica</span> : <code>{owner.slice(0, 8)}</code>,
      waiting,
      running,
    ])}
  />
);

function Budgets({ budgets }: { readonly budgets: readonly CallBudget[] }) {
  const limited = budgets.filter(({ perMinute, refused }) => perMinute !== undefined || refused > 0);
  if (limited.length === 0) return <Empty text="No limited call was made in the last minute." />;
  return (
    <Table
      label="Rate limits"
      columns={['Workspace', 'Calls', 'Last minute', 'Refused in a day']}
      rows={limited.map(({ channel, tenant, family, calls, perMinute, learned, refused, refusedAt }) => [
        `${channel} ${tenant}`,
        family,
        <Meter key="calls" calls={calls} limit={learned ?? perMinute} learned={learned !== undefined} />,
        refused === 0 ? (
          '0'
        ) : (
          <span class="warn">
            {refused >= 50 ? '50 or more' : refused}
            {refusedAt !== undefined && `, ${agoOf(refusedAt, now())}`}
          </span>
        ),
      ])}
    />
  );
}

function Meter({
  calls,
  limit,
  learned,
}: {
  readonly calls: number;
  readonly limit: number | undefined;
  readonly learned: boolean;
}) {
  if (limit === undefined) return <>{calls}</>;
  return (
    <span class="call-meter">
      <meter value={calls} max={limit} high={limit * 0.9} aria-label={`${calls} of ${limit} calls`} />
      {calls} of {limit}
      {learned && <span class="warn"> lowered</span>}
    </span>
  );
}

export const FailuresTab = ({ place }: PlaceProps) => (
  <Loaded<FailuresView> path="failures" place={place}>
    {(view) => <Failures view={view} place={place} />}
  </Loaded>
);

function Failures({ view: { counted, unanswered, limit }, place }: TabProps<FailuresView>) {
  const failures = counted.counts.filter(({ code }) => code !== undefined);
  const byCode = grouped(failures, ({ code = '' }) => code, sum);
  const most = Math.max(1, ...byCode.map(([, counts]) => sum(counts)));
  const byAgent = grouped(
    counted.counts,
    ({ agent = '' }) => agent,
    (counts) => sum(failedOf(counts)),
  );
  return (
    <>
      <Part title="By cause" note="Error codes, which the errors page of the documentation explains">
        {byCode.length === 0 && <Empty text="No turn ended with an error in this time with these filters." />}
        <ul class="cause-list">
          {byCode.map(([code, counts]) => (
            <li key={code}>
              <a href={addressTo(place, { tab: 'turns', code })}>
                <code>{code}</code>
                <meter value={sum(counts)} max={most} aria-hidden="true" />
                <b>{number(sum(counts))}</b>
              </a>
            </li>
          ))}
        </ul>
        <Searched count={counted.searched} what="records" />
      </Part>
      <Part title="By agent">
        {byAgent.length === 0 && <Empty text="No turn ended in this time with these filters." />}
        {byAgent.length > 0 && (
          <Table
            label="Turns by agent"
            columns={['Agent', 'Ended', 'Answered', 'No answer', 'Share']}
            rows={byAgent.map(([agent, counts]) => [
              agent === '' ? 'No agent' : <a href={addressTo(place, { tab: 'turns', agent })}>{agent}</a>,
              number(sum(counts)),
              number(sum(counts.filter(({ state }) => state === 'answered'))),
              number(sum(failedOf(counts))),
              share(sum(failedOf(counts)), sum(counts)),
            ])}
          />
        )}
      </Part>
      <Part title="Unanswered questions" note={`Failed or expired, the newest ${limit}`}>
        {unanswered.length === 0 && <Empty text="Every question got an answer in this time." />}
        <TurnList lines={unanswered} place={place} />
      </Part>
    </>
  );
}

export const FeedbackTab = ({ place }: PlaceProps) => (
  <Loaded<FeedbackView> path="feedback" place={place}>
    {(view) => <Feedback view={view} place={place} />}
  </Loaded>
);

function Feedback({ view: { ratings, corrections, limit }, place }: TabProps<FeedbackView>) {
  return (
    <>
      <Part title="Ratings" note={`The newest ${limit}. The command “parley feedback” prints the notes`}>
        {ratings.length === 0 && <Empty text="Nobody rated an answer in this time." />}
        {ratings.length > 0 && (
          <Table
            label="Ratings"
            columns={['Rating', 'Agent', 'Place', 'Person', 'Time', 'Note']}
            rows={ratings.map(({ turn, person, verdict, at, agent, channel, tenant, room, noted }) => [
              <a key="turn" href={addressTo(place, { turn })}>
                {verdict === 'up' ? 'Good' : 'Bad'}
              </a>,
              agent,
              `${channel} ${tenant} ${room}`,
              person,
              agoOf(at, now()),
              noted ? 'Yes' : undefined,
            ])}
          />
        )}
      </Part>
      <Part title="Corrections" note={`The newest ${limit}`}>
        {corrections.length === 0 && <Empty text="Nobody corrected an answer in this time." />}
        <TurnList lines={corrections} place={place} />
      </Part>
    </>
  );
}

export const PeopleTab = ({ place }: PlaceProps) => (
  <Loaded<PeopleView> path="people" place={place}>
    {(view) => <People {...view} />}
  </Loaded>
);

function People({ count, people, limit }: PeopleView) {
  return (
    <Part
      title={`${number(count)} ${count === 1 ? 'person is' : 'people are'} linked`}
      note={
        count > limit ? `The first ${limit}, by channel and id` : 'People who linked themselves to an account'
      }
    >
      {people.length === 0 && <Empty text="Nobody has linked themselves to an account." />}
      {people.length > 0 && (
        <Table
          label="Linked people"
          columns={['Person', 'Name', 'Workspace', 'Account', 'Since', 'Until']}
          rows={people.map(({ person, name, channel, tenant, account, since, until }) => [
            <code key="person">{person}</code>,
            name,
            `${channel} ${tenant}`,
            account,
            since === undefined ? undefined : dayOf(since, now()),
            dayOf(until, now()),
          ])}
        />
      )}
    </Part>
  );
}

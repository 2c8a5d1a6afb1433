/** The contents of the tabs of the operator's page. */

import type { ComponentType } from 'preact';
import type { CallBudget, TurnCount } from '../../../../src/kit/ladder.ts';
import type { FailuresView, FeedbackView, NowView, PeopleView, TurnsView } from '../../operate-wire.ts';
import { now } from '../clock.ts';
import { addressTo, type OperatePlace, queryOf, type Tab } from '../state/operate.ts';
import { agoOf, dayOf, lengthOf } from '../state/time.ts';
import { List, Loaded, Searched, Tiles } from './operate-figures.tsx';
import { type TabProps, Turns, turnsAt } from './operate-turns.tsx';

const UNANSWERED = ['failed', 'expired'];

const sum = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((all, { count }) => all + count, 0);
const failedOf = (counts: readonly TurnCount[]) => counts.filter(({ state }) => UNANSWERED.includes(state));
const number = (value: number): string => value.toLocaleString('en');
const share = (part: number, whole: number): string | undefined =>
  whole === 0 ? undefined : `${((part / whole) * 100).toFixed(1)} %`;
const workspaceOf = ({ channel, tenant }: { readonly channel: string; readonly tenant: string }) =>
  `${channel} ${tenant}`;

/** Groups counts by a name. The groups with the highest weight come first. */
const grouped = (
  counts: readonly TurnCount[],
  nameOf: (count: TurnCount) => string,
  weight: (counts: readonly TurnCount[]) => number,
) => [...Map.groupBy(counts, nameOf)].toSorted(([, one], [, other]) => weight(other) - weight(one));

function Now({ view: { status, open, budgets, counted }, place }: TabProps<NowView>) {
  const { waiting, postponed = 0, running, oldestWaitingMs: oldest } = status;
  const [ended, failed] = [sum(counted.counts), sum(failedOf(counted.counts))];
  const refused = budgets.reduce((all, budget) => all + budget.refused, 0);
  const forPlatform = postponed > 0 ? `${number(postponed)} for the platform` : undefined;
  return (
    <>
      <Tiles
        tiles={{
          Running: [number(running)],
          Waiting: [number(waiting), forPlatform, postponed > 0],
          'Longest wait': [oldest === undefined ? '–' : lengthOf(oldest)],
          Ended: [number(ended)],
          'No answer': [number(failed), share(failed, ended), failed > 0],
          'Calls refused in a day': [number(refused), undefined, refused > 0],
        }}
      />
      <List
        title="Running and waiting"
        rows={open.lines}
        columns={turnsAt(place)}
        none="Nothing runs or waits with these filters."
      >
        {open.searched !== undefined && (
          <p class="quiet">Only the {open.searched} oldest of each were read.</p>
        )}
      </List>
      <List
        title="Rate limits of the workspaces"
        note="Calls of the last minute, all processes together"
        rows={budgets.filter(({ perMinute, refused: calls }) => perMinute !== undefined || calls > 0)}
        none="No limited call was made in the last minute."
        columns={{
          Workspace: workspaceOf,
          Calls: ({ family }) => family,
          'Last minute': (budget) => <Meter {...budget} />,
          'Refused in a day': refusedCalls,
        }}
      />
      <Replicas {...status} />
    </>
  );
}

const Replicas = ({ replicas, workspaces }: NowView['status']) => (
  <>
    <List
      title="Replicas"
      rows={replicas}
      none="One process runs this bridge."
      columns={{
        Replica: ({ id }) => <code>{id.slice(0, 8)}</code>,
        Host: ({ report }) => report.host,
        Version: ({ report }) => report.version,
        Lease: ({ leaseMs }) => lengthOf(leaseMs),
        Workspaces: (replica) => replica.workspaces,
        Running: ({ running }) => running,
        Takeovers: ({ report }) => report.takeovers,
      }}
    />
    {replicas.length > 0 && (
      <List
        title="Workspaces and their owners"
        rows={workspaces}
        none="No workspace was used yet."
        columns={{
          Workspace: workspaceOf,
          Owner: ({ owner }) =>
            owner === undefined ? <span class="warn">No replica</span> : <code>{owner.slice(0, 8)}</code>,
          Waiting: ({ waiting }) => waiting,
          Running: ({ running }) => running,
        }}
      />
    )}
  </>
);

/** At most 50 refusals are stored. */
function refusedCalls({ refused, refusedAt }: CallBudget) {
  if (refused === 0) return '0';
  const count = refused >= 50 ? '50 or more' : refused;
  return (
    <span class="warn">
      {count}
      {refusedAt !== undefined && `, ${agoOf(refusedAt, now())}`}
    </span>
  );
}

function Meter({ calls, perMinute, learned }: CallBudget) {
  const limit = learned ?? perMinute;
  if (limit === undefined) return <>{calls}</>;
  return (
    <span class="call-meter">
      <meter value={calls} max={limit} high={limit * 0.9} aria-label={`${calls} of ${limit} calls`} />
      {calls} of {limit}
      {learned !== undefined && <span class="warn"> lowered</span>}
    </span>
  );
}

function Failures({ view: { counted, unanswered, limit }, place }: TabProps<FailuresView>) {
  const failures = counted.counts.filter(({ code }) => code !== undefined);
  const byCode = grouped(failures, ({ code = '' }) => code, sum);
  const most = Math.max(1, ...byCode.map(([, counts]) => sum(counts)));
  const unansweredOf = (counts: readonly TurnCount[]) => sum(failedOf(counts));
  return (
    <>
      <List
        title="By cause"
        note="Error codes, which the errors page of the documentation explains"
        rows={byCode}
        none="No turn ended with an error in this time with these filters."
        columns={{
          Cause: ([code]) => (
            <a href={addressTo(place, { tab: 'turns', code })}>
              <code>{code}</code>
            </a>
          ),
          Turns: ([, counts]) => number(sum(counts)),
          Share: ([, counts]) => <meter class="bad" value={sum(counts)} max={most} aria-hidden="true" />,
        }}
      >
        <Searched count={counted.searched} />
      </List>
      <List
        title="By agent"
        rows={grouped(counted.counts, ({ agent = '' }) => agent, unansweredOf)}
        none="No turn ended in this time with these filters."
        columns={{
          Agent: ([agent]) =>
            agent === '' ? 'No agent' : <a href={addressTo(place, { tab: 'turns', agent })}>{agent}</a>,
          Ended: ([, counts]) => number(sum(counts)),
          Answered: ([, counts]) => number(sum(counts.filter(({ state }) => state === 'answered'))),
          'No answer': ([, counts]) => number(unansweredOf(counts)),
          Share: ([, counts]) => share(unansweredOf(counts), sum(counts)),
        }}
      />
      <List
        title="Unanswered questions"
        note={`Failed or expired, the newest ${limit}`}
        rows={unanswered}
        columns={turnsAt(place)}
        none="Every question got an answer in this time."
      />
    </>
  );
}

const Feedback = ({ view: { ratings, corrections, limit }, place }: TabProps<FeedbackView>) => (
  <>
    <List
      title="Ratings"
      note={`The newest ${limit}. The command “parley feedback” prints the notes`}
      rows={ratings}
      none="Nobody rated an answer in this time."
      columns={{
        Rating: ({ turn, verdict }) => (
          <a href={addressTo(place, { turn })}>{verdict === 'up' ? 'Good' : 'Bad'}</a>
        ),
        Agent: ({ agent }) => agent,
        Place: ({ channel, tenant, room }) => `${channel} ${tenant} ${room}`,
        Person: ({ person }) => person,
        Time: ({ at }) => agoOf(at, now()),
        Note: ({ noted }) => (noted ? 'Yes' : undefined),
      }}
    />
    <List
      title="Corrections"
      note={`The newest ${limit}`}
      rows={corrections}
      columns={turnsAt(place)}
      none="Nobody corrected an answer in this time."
    />
  </>
);

const People = ({ view: { count, people, limit } }: TabProps<PeopleView>) => (
  <List
    title={`${number(count)} ${count === 1 ? 'person is' : 'people are'} linked`}
    note={
      count > limit ? `The first ${limit}, by channel and id` : 'People who linked themselves to an account'
    }
    rows={people}
    none="Nobody has linked themselves to an account."
    columns={{
      Person: ({ person }) => <code>{person}</code>,
      Name: ({ name }) => name,
      Workspace: workspaceOf,
      Account: ({ account }) => account,
      Since: ({ since }) => since && dayOf(since, now()),
      Until: ({ until }) => dayOf(until, now()),
    }}
  />
);

/** Returns the tab that loads figures and shows them as `Content`. */
const tab =
  <View,>(path: Tab, Content: ComponentType<TabProps<View>>) =>
  ({ place }: { readonly place: OperatePlace }) => {
    const query = queryOf(place.filters);
    return (
      // Only what runs now changes while a person looks at it.
      <Loaded<View> live={path === 'now'} path={path} query={query}>
        {(view) => <Content key={query} view={view} place={place} />}
      </Loaded>
    );
  };

export const CONTENTS: Readonly<Record<Tab, ComponentType<{ readonly place: OperatePlace }>>> = {
  now: tab<NowView>('now', Now),
  turns: tab<TurnsView>('turns', Turns),
  failures: tab<FailuresView>('failures', Failures),
  feedback: tab<FeedbackView>('feedback', Feedback),
  people: tab<PeopleView>('people', People),
};

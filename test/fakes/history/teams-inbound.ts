/** Reads from Teams' activities which questions, edits and deletions the bridge acknowledged. */

import type { Delivery, FakeTeams } from '../teams/index.ts';
import { type Acceptance, acceptances, type Change, type Inbound, messageKey } from './acceptance.ts';
import type { Act } from './kept.ts';

interface Activity {
  readonly type?: string;
  readonly id?: string;
  readonly text?: string;
  readonly replyToId?: string;
  readonly conversation?: { readonly id?: string; readonly tenantId?: string };
  readonly value?: { readonly action?: { readonly verb?: string } };
}

const acknowledgements = ({ attempts }: Delivery): readonly number[] =>
  attempts.filter(({ status }) => status >= 200 && status < 300).map(({ at, ms }) => at + ms);

const placeOf = ({ conversation }: Activity) => ({
  team: conversation?.tenantId ?? '',
  channel: conversation?.id?.split(';')[0] ?? '',
});

export const inboundOf = (teams: FakeTeams): Inbound => ({
  accepted: acceptedIn(teams),
  changes: Map.groupBy(teams.deliveries.flatMap(changeIn), ({ key }) => key),
});

function changeIn(delivery: Delivery): readonly Change[] {
  const activity: Activity = delivery.activity;
  const { type, text } = activity;
  if (type !== 'messageUpdate' && type !== 'messageDelete') return [];
  const { team, channel } = placeOf(activity);
  const change = { key: messageKey(team, channel, activity.id ?? ''), times: acknowledgements(delivery) };
  return [{ ...change, ...(type === 'messageUpdate' && text !== undefined && { text }) }];
}

const acceptedIn = ({ deliveries }: FakeTeams): ReadonlyMap<string, Acceptance> =>
  acceptances(
    deliveries.flatMap((delivery) => {
      const activity: Activity = delivery.activity;
      if (activity.type !== 'message') return [];
      const { team, channel } = placeOf(activity);
      return [{ key: messageKey(team, channel, activity.id ?? ''), times: acknowledgements(delivery) }];
    }),
  );

export const actsIn = ({ deliveries }: FakeTeams): readonly Act[] =>
  deliveries.flatMap((delivery) => {
    const at = delivery.attempts[0]?.at;
    const isAccepted = acknowledgements(delivery).length > 0;
    const answer = delivery.attempts[0]?.body ?? '';
    const activity: Activity = delivery.activity;
    const verb = activity.value?.action?.verb ?? '';
    if (at === undefined || !verb.startsWith('parley.')) return [];
    const kind = verb.slice('parley.'.length);
    return [{ kind, ...placeOf(activity), ts: activity.replyToId ?? '', at, isAccepted, answer }];
  });

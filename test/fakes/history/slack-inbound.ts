/** Finds, in Slack's events, the questions, edits and deletions that the bridge acknowledged. */

import type { Delivery, FakeSlack } from '../slack/index.ts';
import { type Acceptance, acceptances, type Change, type Inbound, messageKey } from './acceptance.ts';
import type { Act } from './kept.ts';

interface Event {
  readonly type?: string;
  readonly channel?: string;
  readonly channel_type?: string;
  readonly ts?: string;
  readonly subtype?: string;
  readonly message?: { readonly ts?: string; readonly text?: string };
  readonly deleted_ts?: string;
  readonly edited?: object;
}

interface Told {
  readonly team_id?: string;
  readonly event?: Event;
}

export const inboundOf = (slack: FakeSlack): Inbound => ({
  accepted: acceptedIn(slack),
  changes: Map.groupBy(slack.deliveries.flatMap(changeIn), ({ key }) => key),
});

function changeIn(delivery: Delivery): readonly Change[] {
  const { team_id: team = '', event = {} } = delivery.payload as Told;
  const { subtype, channel = '', message, deleted_ts: deleted } = event;
  const ts = subtype === 'message_changed' ? message?.ts : deleted;
  if (ts === undefined) return [];
  const text = subtype === 'message_changed' ? message?.text : undefined;
  const change = { key: messageKey(team, channel, ts), times: acknowledgements(delivery) };
  return [{ ...change, ...(text !== undefined && { text }) }];
}

const acknowledgements = ({ attempts }: Delivery): readonly number[] =>
  attempts.filter(({ status }) => status === 200).map(({ at, ms }) => at + ms);

/** Returns the acknowledged questions by message. Mentions and direct messages are questions. */
const acceptedIn = ({ deliveries }: FakeSlack): ReadonlyMap<string, Acceptance> =>
  acceptances(
    deliveries.flatMap((delivery) => {
      const { team_id: team = '', event = {} } = delivery.payload as Told;
      const { type, subtype, channel_type: kind, channel = '', ts = '', edited } = event;
      const asks = type === 'app_mention' || (type === 'message' && kind === 'im');
      if (!asks || subtype !== undefined || edited !== undefined) return [];
      return [{ key: messageKey(team, channel, ts), times: acknowledgements(delivery) }];
    }),
  );

interface Payload {
  readonly team?: { readonly id?: string };
  readonly team_id?: string;
  readonly channel?: { readonly id?: string };
  readonly message?: { readonly ts?: string };
  readonly actions?: readonly {
    readonly action_id?: string;
    readonly selected_option?: { value?: string };
  }[];
  readonly event?: {
    readonly type?: string;
    readonly channel?: string;
    readonly streaming_message_ts?: string[];
  };
}

export const actsIn = ({ deliveries }: FakeSlack): readonly Act[] =>
  deliveries.flatMap((delivery) => {
    const at = delivery.attempts[0]?.at;
    if (at === undefined) return [];
    const isAccepted = acknowledgements(delivery).length > 0;
    const answer = delivery.attempts[0]?.body ?? '';
    const payload = delivery.payload as Payload;
    const { event, actions = [], message } = payload;
    if (event?.type === 'agent_session_stopped') {
      const place = { team: payload.team_id ?? '', channel: event.channel ?? '' };
      return (event.streaming_message_ts ?? []).map(
        (ts): Act => ({ kind: 'stop', ...place, ts, at, isAccepted, answer }),
      );
    }
    const place = { team: payload.team?.id ?? '', channel: payload.channel?.id ?? '' };
    return actions.flatMap(({ action_id: id = '', selected_option: option }): Act[] => {
      const [of, named = ''] = id.split(':');
      const kind = named === 'more' ? (option?.value?.split(' ')[0] ?? '') : named;
      return of === 'reply' && message?.ts !== undefined
        ? [{ kind, ...place, ts: message.ts, at, isAccepted, answer }]
        : [];
    });
  });

/** Branded identifiers, so that a thread's key cannot be passed where a turn's id is due. */

declare const brand: unique symbol;
type Id<Kind extends string> = string & { readonly [brand]: Kind };

/** One turn; also the correlation id from message to reply in logs, metrics and error sentences. */
export type TurnId = Id<'turn'>;
/** A queue of turns, which run one at a time: the thread. */
export type LaneKey = Id<'lane'>;
/** The configured name of an agent, as people type it. */
export type AgentName = Id<'agent'>;

export const turnId = (text: string): TurnId => text as TurnId;
export const laneKey = (text: string): LaneKey => text as LaneKey;
export const agentName = (text: string): AgentName => text as AgentName;

/** Branded identifiers, so that a thread's key cannot be passed in place of a turn's id. */

declare const brand: unique symbol;
type Id<Kind extends string> = string & { readonly [brand]: Kind };

/** Id of a turn; also the correlation id from message to reply in logs, metrics and error messages. */
export type TurnId = Id<'turn'>;
/** Id of a lane: a queue whose turns run one at a time. Each thread is a lane. */
export type LaneKey = Id<'lane'>;
/** The configured name of an agent, as people type it. */
export type AgentName = Id<'agent'>;

/**
 * Returns the text as the id of a turn, without a check: the bridge finds no turn for an id that it did not make.
 * @example
 * ```ts
 * turnId('t1'); // 't1'
 * ```
 */
export const turnId = (text: string): TurnId => text as TurnId;
export const laneKey = (text: string): LaneKey => text as LaneKey;
export const agentName = (text: string): AgentName => text as AgentName;

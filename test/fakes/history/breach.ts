/** Describes a breach (a violation of the delivery contract): the rule, the place, and what happened. */

export type Rule =
  | 'terminal'
  | 'text'
  | 'thinking'
  | 'stray'
  | 'duplicate'
  | 'reposted'
  | 'asked-again'
  | 'not-cancelled'
  | 'order'
  | 'crossing'
  | 'taken-back'
  | 'changed'
  | 'retry'
  | 'late'
  | 'notice'
  | 'schema';

export interface Breach {
  readonly rule: Rule;
  readonly where: string;
  readonly what: string;
}

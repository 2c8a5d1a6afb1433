/** A violation of the delivery contract. */

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
  | 'schema';

export interface Breach {
  readonly rule: Rule;
  readonly where: string;
  readonly what: string;
}

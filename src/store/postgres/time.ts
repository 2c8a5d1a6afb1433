/** Converts between the local clock and the database's, which may be minutes apart. Times are in milliseconds. */
export interface DatabaseTime {
  /** Time of the database's clock; all times in the database are of this clock. */
  now(): number;
  fromLocal(time: number): number;
  toLocal(time: number): number;
}

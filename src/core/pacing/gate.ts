/** A limit that counts calls by place, whatever the minute of the family says. */
export interface Gate {
  /** How long until a call there may be made, in milliseconds; infinite while only answers can free a slot. */
  wait(place: string, now: number): number;
  /** As `wait`, for progress, which leaves room for the ends of so many replies. */
  politeWait(place: string, now: number, replies: number): number;
  take(place: string, now: number): void;
  giveBack(place: string, now: number): void;
  /** The call was answered: it may have been counted as late as that. */
  answered(place: string, now: number): void;
  /** The channel refused a call there: nothing for so long. */
  close(place: string, ms: number, now: number): void;
}

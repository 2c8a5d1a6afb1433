/** The report of a run. `parley conform --json` prints it. */

export interface RunOptions {
  /** Seed of the random checks. */
  readonly seed: number;
  /** Number of runs of each random check. Run n uses the seed `seed + n`; the first run is n = 0. */
  readonly runs: number;
  /** Checks to run, by id or suite; all if absent. */
  readonly only?: readonly string[];
  /** Called with each result as soon as it is known. */
  readonly onResult?: (result: CheckResult) => void;
}

/** The result of one check. `--json` prints these property names, so they must not change. */
export interface CheckResult {
  readonly id: string;
  /** States what holds if the check passes. */
  readonly proves: string;
  readonly status: 'pass' | 'fail' | 'not-checked';
  /** The page and heading of the rule. */
  readonly page: string;
  /** For a failure, what is wrong; for a check that did not run, why. */
  readonly why?: string;
  readonly expected?: string;
  readonly found?: string;
  /** For a failure of a random check, the seed that repeats it with `--runs 1`. */
  readonly seed?: number;
  /** Warnings and errors that the channel logged during a check that failed, newest last. */
  readonly logged?: readonly string[];
}

export interface Report {
  readonly channel: string;
  readonly title: string;
  readonly seed: number;
  readonly runs: number;
  /** True if every check that ran has passed. */
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

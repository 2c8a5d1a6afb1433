/**
 * Kills one bridge while many stages are prepared in it, because a start of a bridge costs more than a stage.
 */

/** One situation in which the bridge is killed. It has rooms of its own. */
export interface Stage {
  /** The last step before the kill. It is taken when all stages are prepared. */
  readonly last?: () => Promise<unknown>;
  /** Checks what people see after the restart. */
  readonly check: () => unknown;
}

export type Stages = Readonly<Record<string, () => Promise<Stage>>>;

/**
 * Prepares all stages, takes their last steps, and kills the bridge. Returns what checks one stage; the check of a
 * stage that could not be prepared rejects.
 */
export async function killAt(stages: Stages, kill: () => Promise<void>): Promise<(name: string) => unknown> {
  const prepared = Object.entries(stages).map(([name, prepare]) => ({ name, stage: prepare() }));
  await Promise.allSettled(prepared.map(({ stage }) => stage));
  const ready = new Map(
    prepared.map(({ name, stage }) => [
      name,
      stage.then(async (each) => [await each.last?.(), each] as const),
    ]),
  );
  await Promise.allSettled(ready.values());
  await kill();
  return async (name) => {
    const [, stage] = (await ready.get(name)) ?? [];
    if (stage === undefined) throw new Error(`${name} is no stage`);
    await stage.check();
  };
}

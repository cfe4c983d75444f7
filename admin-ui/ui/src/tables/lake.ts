/** Whether a table goes to the lake; unknown while the queue does not answer or is longer than what was read of it. */
export type LakeState = 'on' | 'off' | 'unknown';

/** What of the tiering queue is needed to say so. */
export interface QueueNames {
  items: { database: string; table: string }[];
  total: number;
}

/** Reads the state off the queue, which holds exactly the tables with table.datalake.enabled. */
export function lakeState(queue: QueueNames | undefined, database: string, table: string): LakeState {
  if (queue === undefined) {
    return 'unknown';
  }
  if (queue.items.some((each) => each.database === database && each.table === table)) {
    return 'on';
  }
  return queue.total > queue.items.length ? 'unknown' : 'off';
}

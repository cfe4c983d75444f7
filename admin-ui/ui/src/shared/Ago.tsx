import { absolute, age, clock, relative } from './format';
import { serverNow } from './serverClock';
import { useNow } from './useNow';

/** A time of the coordinator, relative, with the absolute one on hover. */
export function Ago({ ms }: { ms: number }) {
  const now = serverNow(useNow());
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${absolute(ms)}\n${absolute(ms, 0)}`}>
      {relative(ms, now)}
    </time>
  );
}

/** When something began, by the clock on the wall, and how long that is. */
export function Since({ ms }: { ms: number }) {
  const now = serverNow(useNow());
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${absolute(ms)}\n${absolute(ms, 0)}`}>
      since {clock(ms, now)} ({age(now - ms)})
    </time>
  );
}

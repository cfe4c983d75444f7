import { describe, expect, it } from 'vitest';
import type { Answer, RequestOptions } from './http';
import { Poller, type PollerPorts } from './poller';
import { Problem } from './problem';

interface Asked {
  path: string;
  options: RequestOptions;
  answer(value: unknown, etag?: string): Promise<void>;
  unchanged(): Promise<void>;
  fail(problem: Problem): Promise<void>;
}

/** A server, a clock and a page whose every step the test takes. */
class Surroundings implements PollerPorts {
  readonly asked: Asked[] = [];
  now = 1_000;
  private seen = true;
  private timers = new Map<number, { action: () => void; atMs: number }>();
  private nextTimer = 1;
  private readonly watchers = new Set<() => void>();

  request(path: string, options: RequestOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.asked.push({
        path,
        options,
        answer: (value, etag) => settled(() => resolve({ kind: 'value', value, etag: etag ?? null })),
        unchanged: () => settled(() => resolve({ kind: 'unchanged' })),
        fail: (problem) => settled(() => reject(problem)),
      });
    });
  }

  nowMs = () => this.now;
  visible = () => this.seen;

  setTimer(action: () => void, delayMs: number): number {
    this.timers.set(this.nextTimer, { action, atMs: this.now + delayMs });
    return this.nextTimer++;
  }

  clearTimer(timer: number): void {
    this.timers.delete(timer);
  }

  onVisibility(listener: () => void): () => void {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  show(seen: boolean): void {
    this.seen = seen;
    this.watchers.forEach((watcher) => watcher());
  }

  advance(ms: number): void {
    this.now += ms;
    for (const [timer, { action, atMs }] of [...this.timers]) {
      if (atMs <= this.now) {
        this.timers.delete(timer);
        action();
      }
    }
  }

  last(): Asked {
    const last = this.asked.at(-1);
    if (last === undefined) {
      throw new Error('Nothing was asked');
    }
    return last;
  }
}

async function settled(action: () => void): Promise<void> {
  action();
  await Promise.resolve();
  await Promise.resolve();
}

function polled() {
  const around = new Surroundings();
  const poller = new Poller<{ n: number }>('/api/v1/tiering', 2_000, around);
  let changes = 0;
  const stop = poller.subscribe(() => changes++);
  return { around, poller, stop, changes: () => changes };
}

describe('Poller', () => {
  it('asks at once and again an interval after each answer', async () => {
    const { around, poller } = polled();
    await around.last().answer({ n: 1 });
    expect(poller.snapshot().data).toEqual({ n: 1 });
    around.advance(1_999);
    expect(around.asked).toHaveLength(1);
    around.advance(1);
    expect(around.asked).toHaveLength(2);
  });

  it('sends the ETag and keeps the same data when nothing has changed', async () => {
    const { around, poller } = polled();
    await around.last().answer({ n: 1 }, '"7"');
    const before = poller.snapshot().data;
    around.advance(2_000);
    expect(around.last().options.etag).toBe('"7"');
    await around.last().unchanged();
    expect(poller.snapshot().data).toBe(before);
    expect(poller.snapshot().confirmedMs).toBe(3_000);
  });

  it('keeps the last data and its time while requests fail, and recovers', async () => {
    const { around, poller } = polled();
    await around.last().answer({ n: 1 });
    around.advance(2_000);
    await around.last().fail(new Problem(503, 'UNAVAILABLE', 'coordinator down'));
    expect(poller.snapshot()).toMatchObject({ data: { n: 1 }, confirmedMs: 1_000, problem: { code: 'UNAVAILABLE' } });
    around.advance(2_000);
    await around.last().answer({ n: 2 });
    expect(poller.snapshot()).toEqual({ data: { n: 2 }, confirmedMs: 5_000, problem: undefined });
  });

  it('does not ask while the page is hidden and asks at once when it is seen again', async () => {
    const { around } = polled();
    await around.last().answer({ n: 1 });
    around.show(false);
    around.advance(60_000);
    expect(around.asked).toHaveLength(1);
    around.show(true);
    expect(around.asked).toHaveLength(2);
  });

  it('aborts the request when the last listener leaves, and ignores its answer', async () => {
    const { around, poller, stop, changes } = polled();
    stop();
    expect(around.last().options.signal?.aborted).toBe(true);
    await around.last().answer({ n: 9 });
    expect(changes()).toBe(0);
    expect(poller.snapshot().data).toBeUndefined();
    around.advance(10_000);
    expect(around.asked).toHaveLength(1);
  });

  it('gives up a running request on refresh, so that an older answer cannot win', async () => {
    const { around, poller } = polled();
    const older = around.last();
    poller.refresh();
    const newer = around.last();
    await newer.answer({ n: 2 });
    await older.answer({ n: 1 });
    expect(poller.snapshot().data).toEqual({ n: 2 });
    around.advance(2_000);
    expect(around.asked).toHaveLength(3);
  });
});

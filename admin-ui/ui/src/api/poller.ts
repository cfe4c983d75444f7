import type { Answer, RequestOptions } from './http';
import { Problem } from './problem';

/** What is known of one resource. */
export interface QueryState<T> {
  /** The last answer; it stays while later requests fail. */
  readonly data: T | undefined;
  /** Why the latest request failed; undefined when it did not. */
  readonly problem: Problem | undefined;
  /** When data was last confirmed by the server, by the browser's clock. */
  readonly confirmedMs: number | undefined;
}

/** What a poller needs of its surroundings; tests bring their own. */
export interface PollerPorts {
  request(path: string, options: RequestOptions): Promise<Answer>;
  nowMs(): number;
  setTimer(action: () => void, delayMs: number): number;
  clearTimer(timer: number): void;
  /** Whether anybody can see the page. */
  visible(): boolean;
  /** Calls back when visibility changes, until the returned function is called. */
  onVisibility(listener: () => void): () => void;
}

const REQUEST_TIMEOUT_MS = 6_000;

/**
 * Keeps one resource fresh while somebody listens: asks again an interval after each answer, with the
 * ETag of the last one, never while the page is hidden, and at once when it is seen again. One request
 * runs at a time; the last listener's leaving aborts it.
 */
export class Poller<T> {
  private readonly path: string;
  private readonly intervalMs: number;
  private readonly ports: PollerPorts;
  private readonly listeners = new Set<() => void>();
  private state: QueryState<T> = { data: undefined, problem: undefined, confirmedMs: undefined };
  private etag: string | null = null;
  private timer: number | undefined;
  private running: AbortController | undefined;
  private unwatch: (() => void) | undefined;

  constructor(path: string, intervalMs: number, ports: PollerPorts) {
    this.path = path;
    this.intervalMs = intervalMs;
    this.ports = ports;
  }

  /** The state now; the same object until something changes. */
  readonly snapshot = (): QueryState<T> => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      this.unwatch = this.ports.onVisibility(() => this.visibilityChanged());
      this.ask();
    }
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) {
        this.unwatch?.();
        this.halt();
      }
    };
  };

  /** Asks now, giving up a request that runs: its answer may be older than what the caller just did. */
  readonly refresh = (): void => {
    if (this.listeners.size > 0) {
      this.halt();
      this.ask();
    }
  };

  private visibilityChanged(): void {
    if (this.ports.visible() && this.running === undefined) {
      this.halt();
      this.ask();
    }
  }

  private halt(): void {
    if (this.timer !== undefined) {
      this.ports.clearTimer(this.timer);
      this.timer = undefined;
    }
    this.running?.abort();
    this.running = undefined;
  }

  private ask(): void {
    if (!this.ports.visible()) {
      return;
    }
    const attempt = new AbortController();
    this.running = attempt;
    this.ports
      .request(this.path, { etag: this.etag, timeoutMs: REQUEST_TIMEOUT_MS, signal: attempt.signal })
      .then(
        (answer) => this.settle(attempt, () => this.answered(answer)),
        (cause: unknown) => this.settle(attempt, () => this.failed(cause)),
      );
  }

  private settle(attempt: AbortController, outcome: () => void): void {
    if (this.running !== attempt) {
      // Given up meanwhile; another request may already run.
      return;
    }
    this.running = undefined;
    outcome();
    this.timer = this.ports.setTimer(() => {
      this.timer = undefined;
      this.ask();
    }, this.intervalMs);
  }

  private answered(answer: Answer): void {
    if (answer.kind === 'value') {
      this.etag = answer.etag;
      this.publish({ data: answer.value as T, problem: undefined, confirmedMs: this.ports.nowMs() });
    } else {
      this.publish({ data: this.state.data, problem: undefined, confirmedMs: this.ports.nowMs() });
    }
  }

  private failed(cause: unknown): void {
    const problem = cause instanceof Problem ? cause : new Problem(0, 'INTERNAL', String(cause));
    this.publish({ ...this.state, problem });
  }

  private publish(next: QueryState<T>): void {
    this.state = next;
    this.listeners.forEach((listener) => listener());
  }
}

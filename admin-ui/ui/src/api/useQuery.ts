import { useMemo, useRef, useSyncExternalStore } from 'react';
import { request } from './http';
import { Poller, type PollerPorts, type QueryState } from './poller';
import type { Problem } from './problem';
import type { paths } from './schema';

/** The answer to a GET of a path of the API. */
export type GetAnswer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer A } } } };
}
  ? A
  : never;

/** A query as a page sees it. */
export interface Query<T> {
  data: T | undefined;
  problem: Problem | undefined;
  /** When data was last confirmed, by the browser's clock. */
  confirmedMs: number | undefined;
  /** data belongs to the address asked before; this one's is on its way. */
  previous: boolean;
  refresh(): void;
}

export interface QueryOptions {
  /** Values of the path's {names}, escaped here. */
  path?: Record<string, string>;
  /** Query parameters; undefined and empty ones are left out. */
  query?: Record<string, string | number | undefined>;
  intervalMs?: number;
}

const INTERVAL_MS = 1_500;
/** Resources whose last answer is kept for coming back to a page. */
const KEPT_POLLERS = 40;

const browser: PollerPorts = {
  request,
  nowMs: () => Date.now(),
  setTimer: (action, delayMs) => window.setTimeout(action, delayMs),
  clearTimer: (timer) => window.clearTimeout(timer),
  visible: () => document.visibilityState === 'visible',
  onVisibility: (listener) => {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
};

/** By address and interval, in order of last use. */
const pollers = new Map<string, Poller<unknown>>();

/** Asks for a resource and keeps it fresh while the component is shown. Equal queries share their requests. */
export function useQuery<P extends keyof paths>(template: P, options: QueryOptions = {}): Query<GetAnswer<P>> {
  const address = addressOf(template, options);
  const intervalMs = options.intervalMs ?? INTERVAL_MS;
  const poller = useMemo(() => pollerOf(address, intervalMs), [address, intervalMs]);
  const state = useSyncExternalStore(poller.subscribe, poller.snapshot) as QueryState<GetAnswer<P>>;
  const shown = useRef<{ template: P; data: GetAnswer<P> } | undefined>(undefined);
  if (state.data !== undefined) {
    shown.current = { template, data: state.data };
  }
  const previous = state.data === undefined && shown.current?.template === template && state.problem === undefined;
  return {
    data: previous ? shown.current?.data : state.data,
    problem: state.problem,
    confirmedMs: state.confirmedMs,
    previous,
    refresh: poller.refresh,
  };
}

/** The address of a resource. */
export function addressOf(template: string, options: QueryOptions): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== '') {
      query.set(name, String(value));
    }
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

function pollerOf(address: string, intervalMs: number): Poller<unknown> {
  const key = `${intervalMs} ${address}`;
  const poller = pollers.get(key) ?? new Poller<unknown>(address, intervalMs, browser);
  pollers.delete(key);
  pollers.set(key, poller);
  const oldest = pollers.keys().next().value;
  if (pollers.size > KEPT_POLLERS && oldest !== undefined) {
    pollers.delete(oldest);
  }
  return poller;
}

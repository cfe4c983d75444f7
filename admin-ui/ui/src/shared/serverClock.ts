/** Differences below this are the network's, not the clocks'. */
const NOTICED_MS = 2_000;

let skewMs = 0;

/** Notes what the coordinator's clock said just now. */
export function noteServerTime(serverMs: number, browserMs: number): void {
  const difference = serverMs - browserMs;
  skewMs = Math.abs(difference) < NOTICED_MS ? 0 : difference;
}

/** The coordinator's time, by which everything it reports is dated. */
export function serverNow(browserMs: number): number {
  return browserMs + skewMs;
}

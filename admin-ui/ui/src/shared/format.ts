const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A size in binary units with three digits: `1.21 MiB`. */
export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  // 1023.99 would round to 1024 of a unit.
  if (unit < UNITS.length - 1 && unit > 0 && value >= 1023.5) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A whole number with its thousands apart, the same in every language: `1,234,567`. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A duration in at most two units: `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 14 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < 1_000) {
    return `${Math.round(positive)} ms`;
  }
  if (positive < 10_000) {
    return `${trimmed(positive / 1_000)} s`;
  }
  const seconds = Math.floor(positive / 1_000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 10 && minutes < 60) {
    return `${minutes} min`;
  }
  if (minutes < 10) {
    return two(minutes, 'min', seconds % 60, 's');
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    return two(hours, 'h', minutes % 60, 'min');
  }
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** A duration that is being waited for, in whole seconds: it does not flicker while it grows. */
export function age(ms: number): string {
  return duration(Math.floor(Math.max(0, ms) / 1_000) * 1_000).replace(/^0 ms$/, '0 s');
}

/** How long ago a time was, or how far ahead it is, in one unit: `12 s ago`, `in 3 min`, `now`. */
export function relative(timeMs: number, nowMs: number): string {
  const passed = nowMs - timeMs;
  if (Math.abs(passed) < 1_000) {
    return 'now';
  }
  const [amount, unit] = age(Math.abs(passed)).split(' ');
  return passed > 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

/** `2023-01-02 00:15:00.792 -08:00`: the same in every language, with the offset of the zone at that time. */
export function absolute(timeMs: number, offsetMinutes = -new Date(timeMs).getTimezoneOffset()): string {
  const shifted = new Date(timeMs + offsetMinutes * 60_000).toISOString();
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 23)} ${zone(offsetMinutes)}`;
}

/** A local clock time for texts that say "since": `02:14:03`, with the date when it is not today's. */
export function clock(timeMs: number, nowMs: number, offsetMinutes = -new Date(timeMs).getTimezoneOffset()): string {
  const text = absolute(timeMs, offsetMinutes);
  const time = text.slice(11, 19);
  return text.slice(0, 10) === absolute(nowMs, offsetMinutes).slice(0, 10) ? time : `${text.slice(0, 10)} ${time}`;
}

function zone(offsetMinutes: number): string {
  if (offsetMinutes === 0) {
    return 'UTC';
  }
  const minutes = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${padded(small)} ${smallUnit}`;
}

function trimmed(value: number): string {
  return String(Math.floor(value * 10) / 10);
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}

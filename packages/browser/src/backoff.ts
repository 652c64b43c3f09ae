// How long to wait before the next attempt: twice as long each time, up to half a minute, and never
// the same for two browsers, so that a gateway that comes back is not met by all of them at once.

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** A connection that held so long was a good one: after it, attempts are counted anew. */
export const STEADY_MS = 10_000;

/** `attempt` counts from 0; `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(whole / 2 + (whole / 2) * random);
}

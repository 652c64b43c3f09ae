// How often something may happen: a number of times in a stretch of time, counted from the last ones.

export class Rate {
  private times: number[] = [];

  constructor(
    private readonly max: number,
    private readonly withinMs: number,
  ) {}

  /** Whether it may happen now; if so, it counts. */
  take(now: number): boolean {
    this.times = this.times.filter((time) => now - time < this.withinMs);
    if (this.times.length >= this.max) return false;
    this.times.push(now);
    return true;
  }
}

/** How often something is tried again: bounded restarts, and polling that slows down while nothing happens. */

export class Restarts {
  private times: number[] = [];

  constructor(
    private readonly most = 5,
    private readonly within = 180_000,
    private readonly now: () => number = Date.now,
  ) {}

  /** Milliseconds to wait before the next start, or undefined where there were too many lately. */
  next(): number | undefined {
    const now = this.now();
    this.times = this.times.filter((time) => now - time < this.within);
    if (this.times.length >= this.most) return undefined;
    this.times.push(now);
    return Math.min(8_000, 250 * 2 ** (this.times.length - 1));
  }

  forget(): void {
    this.times = [];
  }
}

export class Pace {
  private current: number;

  constructor(
    private readonly least = 5_000,
    private readonly most = 60_000,
  ) {
    this.current = least;
  }

  /** Milliseconds until the next look, given whether this one saw something new. */
  next(moved: boolean): number {
    const wait = moved ? this.least : this.current;
    this.current = Math.min(this.most, wait * 2);
    return wait;
  }
}

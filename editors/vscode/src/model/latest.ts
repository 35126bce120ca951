/** Asks for what was wanted last: after a pause, one at a time, and nothing of an older question is ever shown. */

export interface Asked<Question, Answer> {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  show(question: Question, answer: Answer): void;
  fail(question: Question, error: unknown): void;
}

export class Latest<Question, Answer> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;

  constructor(
    private readonly asked: Asked<Question, Answer>,
    private readonly pause: number,
  ) {}

  want(question: Question, pause: number = this.pause): void {
    this.cancel();
    this.timer = setTimeout(() => void this.go(question), pause);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = undefined;
  }

  private async go(question: Question): Promise<void> {
    const mine = new AbortController();
    this.running = mine;
    try {
      const answer = await this.asked.ask(question, mine.signal);
      if (!mine.signal.aborted) this.asked.show(question, answer);
    } catch (error) {
      if (!mine.signal.aborted) this.asked.fail(question, error);
    }
  }
}

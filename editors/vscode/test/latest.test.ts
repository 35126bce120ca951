import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Latest } from "../src/model/latest";

/** A Latest whose time is set by hand, and whose questions are answered by hand. */
function recorded(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const log: string[] = [];
  const asked = new Map<string, { signal: AbortSignal; answer: (text: string) => void; fail: (error: Error) => void }>();
  const latest = new Latest<string, string>(
    {
      ask: (question, signal) => {
        log.push(`ask ${question}`);
        return new Promise((answer, fail) => asked.set(question, { signal, answer, fail }));
      },
      show: (question, shown) => log.push(`show ${question} ${shown}`),
      fail: (question, error) => log.push(`fail ${question} ${String(error)}`),
    },
    5,
  );
  return { log, asked, latest, pass: (time: number) => context.mock.timers.tick(time) };
}

const settled = () => new Promise(setImmediate);

test("of what is typed fast only the last is asked for", async (context) => {
  const { log, asked, latest, pass } = recorded(context);
  for (const typed of ["l", "lo", "loc"]) {
    latest.want(typed);
    pass(4);
  }
  assert.deepEqual(log, []);
  pass(1);
  asked.get("loc")!.answer("LOC");
  await settled();
  assert.deepEqual(log, ["ask loc", "show loc LOC"]);
});

test("a slow answer to an older question is cancelled and never shown", async (context) => {
  const { log, asked, latest, pass } = recorded(context);
  latest.want("old", 0);
  pass(1);
  latest.want("new", 0);
  pass(1);
  asked.get("new")!.answer("answer");
  asked.get("old")!.answer("answer");
  await settled();
  assert.deepEqual(log, ["ask old", "ask new", "show new answer"]);
  assert.deepEqual([...asked.values()].map(({ signal }) => signal.aborted), [true, false]);
});

test("a failure is told, unless the question is no longer wanted", async (context) => {
  const { log, asked, latest, pass } = recorded(context);
  latest.want("a", 0);
  pass(1);
  asked.get("a")!.fail(new Error("gone"));
  await settled();
  latest.want("b", 0);
  pass(1);
  latest.cancel();
  asked.get("b")!.fail(new Error("gone"));
  await settled();
  assert.deepEqual(log, ["ask a", "fail a Error: gone", "ask b"]);
});

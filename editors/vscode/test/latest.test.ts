import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Latest } from "../src/model/latest";

function recorded(answer: (question: string) => Promise<string>) {
  const log: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const latest = new Latest<string, string>(
    {
      ask: (question, signal) => {
        log.push(`ask ${question}`);
        signals.set(question, signal);
        return answer(question);
      },
      show: (question, shown) => log.push(`show ${question} ${shown}`),
      fail: (question, error) => log.push(`fail ${question} ${String(error)}`),
    },
    5,
  );
  return { log, signals, latest };
}

test("of what is typed fast only the last is asked for", async () => {
  const { log, latest } = recorded(async (question) => question.toUpperCase());
  for (const typed of ["l", "lo", "loc"]) latest.want(typed);
  await sleep(30);
  assert.deepEqual(log, ["ask loc", "show loc LOC"]);
});

test("a slow answer to an older question is cancelled and never shown", async () => {
  const { log, signals, latest } = recorded(async (question) => {
    await sleep(question === "old" ? 40 : 1);
    return "answer";
  });
  latest.want("old", 0);
  await sleep(10);
  latest.want("new", 0);
  await sleep(60);
  assert.deepEqual(log, ["ask old", "ask new", "show new answer"]);
  assert.equal(signals.get("old")?.aborted, true);
  assert.equal(signals.get("new")?.aborted, false);
});

test("a failure is told, unless the question is no longer wanted", async () => {
  const { log, latest } = recorded(async () => {
    await sleep(5);
    throw new Error("gone");
  });
  latest.want("a", 0);
  await sleep(20);
  latest.want("b", 0);
  await sleep(2);
  latest.cancel();
  await sleep(20);
  assert.deepEqual(log.filter((line) => line.startsWith("fail")), ["fail a Error: gone"]);
});

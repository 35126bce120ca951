import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace, Restarts } from "../src/model/pace";

test("restarts wait longer each time and end after a few", () => {
  let now = 0;
  const restarts = new Restarts(3, 1_000, () => now);
  assert.deepEqual([restarts.next(), restarts.next(), restarts.next(), restarts.next()], [250, 500, 1_000, undefined]);
  now = 1_001;
  assert.equal(restarts.next(), 250);
  restarts.next();
  restarts.next();
  restarts.forget();
  assert.equal(restarts.next(), 250);
});

test("polling slows down until something moves", () => {
  const pace = new Pace(5, 30);
  assert.deepEqual([false, false, false, false, false].map((moved) => pace.next(moved)), [5, 10, 20, 30, 30]);
  assert.deepEqual([true, false].map((moved) => pace.next(moved)), [5, 10]);
});

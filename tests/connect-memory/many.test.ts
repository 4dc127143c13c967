// A thousand objects of one connection, of which some always fail, each in another way: the good
// ones get there within the rate, the bad ones are tried less and less often, and what waits is
// bounded.
import assert from "node:assert/strict";
import { it } from "node:test";
import { conditionOf, openMemoryConnect } from "./memory-connect.ts";
import type { Interference } from "./memory-service.ts";

const perSecond = 250;
const burst = 50;
const answers: readonly ReturnType<Interference>[] = [
  { status: 400, body: { error: "never" } },
  { status: 500, body: { error: "not now" } },
  { status: 429, headers: { "retry-after": "1" } },
  "refused",
];

it("brings the good ones of a thousand there at the rate, however the bad ones fail", async () => {
  await using connect = await openMemoryConnect({
    binding: { resyncSeconds: 100_000 },
    connection: { rate: { perSecond, burst }, concurrency: 8, breaker: { failures: 1_000 } },
  });
  const { service, pass } = connect;
  const kindOf = new Map<string, ReturnType<Interference>>();
  service.interfere = ({ path, body }) => {
    const name = path.split("/")[2] ?? (body as { name?: string } | undefined)?.name ?? "";
    return kindOf.get(name);
  };
  const [good, bad]: [string[], string[]] = [[], []];
  for (let index = 0; index < 1_000; index++) {
    const name = `n${index}`;
    if (index % 20 === 0) kindOf.set(name, answers[(index / 20) % answers.length]);
    (kindOf.has(name) ? bad : good).push(name);
    await connect.make(name, { name });
  }
  const seconds: number[] = [];
  while (service.objects.size < good.length) {
    const before = service.log.length;
    await pass();
    seconds.push(service.log.length - before);
    // Three requests for each good one, at the rate, are there after twelve seconds.
    assert.ok(seconds.length < 20, `${service.objects.size} after ${seconds.length} s`);
  }
  assert.ok(Math.max(...seconds) <= perSecond + burst, seconds.join());
  // Who waits for a turn comes back later instead of being held.
  const held = connect.memory.surroundings.timers.pendingCount();
  assert.ok(held < 100, `${held} timers`);
  await pass(5_000);
  for (const name of good) {
    assert.equal(conditionOf(await connect.read(name), "Ready"), "True Available");
  }
  const reasons = new Set<string>();
  for (const name of bad) reasons.add(conditionOf(await connect.read(name), "Synced"));
  assert.deepEqual(
    [...reasons].map((reason) => reason.split(" ")[0]),
    Array.from(reasons, () => "False"),
  );

  const settled = service.log.length;
  await pass(180_000);
  const perBad = (service.log.length - settled) / bad.length;
  assert.ok(perBad < 30, `${perBad} requests for each bad one in three minutes`);
  assert.equal(service.objects.size, good.length);
});

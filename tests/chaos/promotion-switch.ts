// The process that promotion.test.ts kills: it switches two embedded stores and announces each
// step. Started again, it continues: every step can be repeated.
import { newSealKey } from "../../src/store/key-ring.ts";
import type { SealKey } from "../../src/store/key-ring.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { widgets } from "../../src/store/contract/samples.ts";

const [first = "", second = ""] = process.argv.slice(2);
const keys: readonly SealKey[] = [
  { ...newSealKey(), id: "0".repeat(16), secret: Buffer.alloc(32) },
];

await using former = await openSqliteStore({ path: first, keys });
await using next = await openSqliteStore({ path: second, keys });
const step = (name: string): void => void process.stdout.write(`${name}\n`);

const { role } = await next.replication.standing();
if (role === "secondary") {
  step("demote");
  const from = await former.replication.demote("next");
  for (;;) {
    step("ship");
    const { at } = await next.replication.standing();
    const shipment = await former.replication.ship(at, { limit: 20 });
    if (shipment.rows.length === 0) break;
    await next.replication.follow(shipment);
  }
  step("promote");
  await next.replication.promote({ from, kinds: [widgets], perSecond: 1_000 });
}
step("follow");
const { at } = await former.replication.standing();
try {
  await former.replication.follow(await next.replication.ship(at));
} catch (error) {
  if (!isSetpointError(error, "replication.invalid")) throw error;
}
step("done");

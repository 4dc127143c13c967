// The process that promotion.test.ts kills: it switches two embedded stores, and announces each
// call of a store before it is made. Started again, it continues.
import { switchOver } from "../../src/app/replication/switch-over.ts";
import { widgets } from "../../src/store/contract/samples.ts";
import type { Replication } from "../../src/store/replication.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const [first = "", second = ""] = process.argv.slice(2);
const keys = [{ id: "0".repeat(16), secret: Buffer.alloc(32) }];

function announced(replication: Replication): Replication {
  return new Proxy(replication, {
    get: (target, name) => {
      const call = Reflect.get(target, name) as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]): unknown => {
        process.stdout.write(`${String(name)}\n`);
        return Reflect.apply(call, target, args);
      };
    },
  });
}

await using former = await openSqliteStore({ path: first, keys });
await using next = await openSqliteStore({ path: second, keys });
await switchOver({
  former: { replication: announced(former.replication) },
  next: { replication: announced(next.replication) },
  nextName: "next",
  wakes: { kinds: [widgets], perSecond: 1_000 },
});

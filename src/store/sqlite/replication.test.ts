/** Two embedded stores on the caller's thread. All four combinations: tests/store. */
import { promotionContract } from "../contract/promotion.ts";
import { randomReplication } from "../contract/replication-random.ts";
import { replicationContract } from "../contract/replication.ts";
import { openInline } from "./harness.ts";

promotionContract("two stores of sqlite on one thread", openInline, openInline);
replicationContract("two stores of sqlite on one thread", openInline, openInline);
randomReplication("sqlite on one thread", openInline, openInline, 20);
